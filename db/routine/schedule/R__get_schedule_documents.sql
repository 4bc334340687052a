-- A page of schedules that are not deleted, newest first, as {schedules: [...], next}; next is null
-- on the last page.
-- p_filter: {schedule_uuid?, namespace?, name?, template?, paused?, failing?, namespaces?};
-- namespaces is an array of those that the caller may read. failing: the last fire times failed, or
-- the schedule was paused for it.
-- failed: fire times whose task could not be submitted; blocked_tasks: those of its tasks that are
-- blocked now.
-- declines: the live servers that cannot calculate its fire times (decline_schedules), with the
-- reason. Each has allowed_actions: the actions that its state allows now, by the rule of
-- change_schedule. Each has its context; now is the clock of the database, from which a server
-- calculates the next fire times.
-- Locks: none. Source: ADR 0045.
create or replace function tasker.get_schedule_documents(
  p_filter jsonb default '{}', p_limit int default 25, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_page jsonb;
begin
  select coalesce(jsonb_agg(d.document order by d.schedule_uuid desc), '[]') into v_page
  from (
    select s.schedule_uuid,
           jsonb_build_object(
             'schedule_uuid', s.schedule_uuid, 'namespace', s.namespace_name, 'name', s.name,
             'template', s.template_name, 'template_version', s.template_version,
             'context', s.context, 'time_member', s.time_member, 'cron', s.cron,
             'every_seconds', s.every_seconds, 'zone', s.zone, 'starts_at', s.starts_at,
             'ends_at', s.ends_at, 'anchor_at', s.anchor_at, 'jitter_seconds', s.jitter_seconds,
             'overlap', s.overlap, 'catch_up', s.catch_up, 'catch_up_seconds', s.catch_up_seconds,
             'pause_after_failures', s.pause_after_failures, 'next_fire_at', s.next_fire_at,
             'queued_fire_at', s.queued_fire_at, 'paused', s.paused_at is not null,
             'paused_at', s.paused_at, 'paused_by', s.paused_by, 'pause_reason', s.pause_reason,
             'last_fire_at', s.last_fire_at, 'last_task_uuid', s.last_task_uuid,
             'started', s.started_count, 'skipped', s.skipped_count, 'missed', s.missed_count,
             'failed', s.failed_count,
             'blocked_tasks', (select count(*)
                               from tasker.schedule_fires f
                               join tasker.tasks t on t.task_uuid = f.task_uuid
                               where f.schedule_uuid = s.schedule_uuid
                                 and f.is_open
                                 and t.state = 'blocked_by_failures'),
             'failures_in_a_row', s.failures_in_a_row, 'last_failure', s.last_failure,
             'version', s.version, 'created_at', s.created_at, 'created_by', s.created_by,
             'updated_at', s.updated_at, 'updated_by', s.updated_by, 'now', clock_timestamp(),
             'declines', (select coalesce(jsonb_agg(jsonb_build_object(
                                                      'server_uuid', v.server_uuid,
                                                      'server', v.name, 'message', c.message,
                                                      'declined_at', c.declined_at) order by v.name,
                                                    v.server_uuid),
                                          '[]')
                          from tasker.schedule_declines c
                          join tasker.servers v on v.server_uuid = c.server_uuid
                          where c.schedule_uuid = s.schedule_uuid
                            and c.version = s.version
                            and v.lease_expires_at > clock_timestamp()
                            and v.state <> 'stopped'),
             'allowed_actions', (
               select jsonb_agg(a.action order by a.action)
               from unnest('{backfill,delete,pause,resume,trigger,update}'::text[]) a(action)
               where tasker.judge_schedule_action(s, a.action) is null)) || s.options as document
    from tasker.schedules s
    where s.deleted_at is null
      and (p_before is null or s.schedule_uuid < p_before)
      and (p_filter ->> 'schedule_uuid' is null
           or s.schedule_uuid = (p_filter ->> 'schedule_uuid')::uuid)
      and (p_filter ->> 'namespace' is null or s.namespace_name = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? s.namespace_name)
      and (p_filter ->> 'name' is null or s.name = p_filter ->> 'name')
      and (p_filter ->> 'template' is null or s.template_name = p_filter ->> 'template')
      and (p_filter ->> 'paused' is null
           or (s.paused_at is not null) = (p_filter ->> 'paused')::boolean)
      and (p_filter ->> 'failing' is null
           or (s.failures_in_a_row > 0) = (p_filter ->> 'failing')::boolean)
    order by s.schedule_uuid desc
    limit p_limit + 1) d;
  return jsonb_build_object(
    'schedules', case when jsonb_array_length(v_page) > p_limit then v_page - p_limit
                      else v_page end,
    'next', case when jsonb_array_length(v_page) > p_limit then
                   v_page -> (p_limit - 1) -> 'schedule_uuid' end);
end
$$;
comment on function tasker.get_schedule_documents(jsonb, int, uuid) is
  'A page of schedules that are not deleted, newest first.';
