-- The tasks that match a filter and that allow an action, by uuid, at most p_limit of them.
-- p_filter, all of which must hold: namespace, name, version, state, initiator, source_system,
-- correlation_id, parent_correlation_id, dlq_reason, failed_step, error_type, error_signature (see
-- has_failed_step), created_after, created_before. Searches unfinished tasks and those with a dead
-- letter, which are few, and not all tasks. p_task_uuids: only these; null for all.
-- Errors: TK007 when the filter is null, empty or no object, or has an unknown key or a null value:
-- none of these may match all tasks.
create or replace function tasker.find_tasks_for_action(
  p_action text, p_filter jsonb, p_limit int, p_task_uuids uuid[] default null)
returns uuid[]
language plpgsql stable
set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  v_known   text[] := array['namespace', 'name', 'version', 'state', 'initiator', 'source_system',
                            'correlation_id', 'parent_correlation_id', 'dlq_reason', 'failed_step',
                            'error_type', 'error_signature', 'created_after', 'created_before'];
  v_unknown text;
begin
  if jsonb_typeof(p_filter) is distinct from 'object' then
    raise exception 'a filter is an object with one or more of %, not %',
      array_to_string(v_known, ', '), coalesce(jsonb_typeof(p_filter), 'null')
      using errcode = 'TK007';
  end if;
  select string_agg(k, ', ') into v_unknown
  from jsonb_object_keys(p_filter) k
  where not k = any (v_known);
  if v_unknown is not null or p_filter = '{}' then
    raise exception 'a filter has one or more of %, not %', array_to_string(v_known, ', '),
      coalesce(v_unknown, 'nothing')
      using errcode = 'TK007';
  end if;
  select string_agg(f.key, ', ') into v_unknown from jsonb_each(p_filter) f where f.value = 'null';
  if v_unknown is not null then
    raise exception 'a filter says what its members must be; null is %', v_unknown
      using errcode = 'TK007';
  end if;
  return (
    select array_agg(c.task_uuid order by c.task_uuid)
    from (
      select t.task_uuid
      from (select w.task_uuid
            from tasker.task_wakeups w
            where p_task_uuids is null or w.task_uuid = any (p_task_uuids)
            union
            select d.task_uuid
            from tasker.tasks_dlq d
            where p_task_uuids is null or d.task_uuid = any (p_task_uuids)) c
      join tasker.tasks t on t.task_uuid = c.task_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      where case p_action
          when 'cancel' then t.completed_at is null and t.cancel_requested_at is null
          when 'fail' then t.state = 'blocked_by_failures'
          when 'close_dead_letters' then exists (
            select from tasker.tasks_dlq d
            where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')
          when 'compensate' then t.completed_at is null
            and exists (select from tasker.named_tasks_named_steps n
                        where n.named_task_uuid = t.named_task_uuid
                          and n.step_type = 'compensation')
            and not exists (select from tasker.task_compensations k where k.task_uuid = t.task_uuid)
          else t.state in ('blocked_by_failures', 'error') and t.cancel_requested_at is null end
        and (p_filter ->> 'namespace' is null or ns.name = p_filter ->> 'namespace')
        and (p_filter ->> 'name' is null or nt.name = p_filter ->> 'name')
        and (p_filter ->> 'version' is null or nt.version = p_filter ->> 'version')
        and (p_filter ->> 'state' is null or t.state::text = p_filter ->> 'state')
        and (p_filter ->> 'initiator' is null or t.initiator = p_filter ->> 'initiator')
        and (p_filter ->> 'source_system' is null or t.source_system = p_filter ->> 'source_system')
        and (p_filter ->> 'correlation_id' is null
             or t.correlation_id = (p_filter ->> 'correlation_id')::uuid)
        and (p_filter ->> 'parent_correlation_id' is null
             or t.parent_correlation_id = (p_filter ->> 'parent_correlation_id')::uuid)
        and (p_filter ->> 'created_after' is null
             or t.created_at >= (p_filter ->> 'created_after')::timestamptz)
        and (p_filter ->> 'created_before' is null
             or t.created_at < (p_filter ->> 'created_before')::timestamptz)
        and (p_filter ->> 'dlq_reason' is null
             or exists (
               select from tasker.tasks_dlq d
               where d.task_uuid = t.task_uuid and d.dlq_reason::text = p_filter ->> 'dlq_reason'))
        and (not p_filter ?| array['failed_step', 'error_type', 'error_signature']
             or ((t.failed_steps > 0 or t.compensation is not null)
                 and tasker.has_failed_step(
                   t.task_uuid, p_filter ->> 'failed_step', p_filter ->> 'error_type',
                   p_filter ->> 'error_signature')))
      order by t.task_uuid
      limit p_limit) c);
end
$$;
comment on function tasker.find_tasks_for_action(text, jsonb, int, uuid[]) is
  'The tasks that match a filter and that allow an action, by uuid, at most p_limit of them.';
