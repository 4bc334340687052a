-- One batch of the clean-up: looks at up to p_examine of the oldest tasks of one template, from where the last batch stopped,
-- and purges up to p_limit that have rested for longer than they are kept. At the end of its tasks the template is left alone
-- for p_pause, but after a pass of a single batch, which costs next to nothing, for half a minute at most. Several may call it at once: each gets another template.
-- Returns {template, examined, expired, purged, more}: more is false when there was nothing to look at.
-- Locks: the template's row of retention_progress, skip locked; as purge_tasks. Source: docs/adr/0021-retention.md.
-- Called by the housekeeping of every orchestrator, and by an operator.
create or replace function tasker.purge_expired_tasks(
  p_limit int default 500, p_examine int default 5000, p_pause interval default '5 minutes', p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_progress tasker.retention_progress;
  v_days     jsonb;
  v_least    int;
  v_examined int;
  v_last     uuid;
  v_expired  uuid[];
  v_gone     uuid[] := '{}';
  v_is_over  boolean;
begin
  -- One enters new templates, or the others would wait for its batch.
  if pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('tasker.purge_expired_tasks')) then
    insert into tasker.retention_progress (named_task_uuid)
    select distinct r.named_task_uuid from tasker.get_retention_rules() r
    where r.keep_days is not null and not exists (select from tasker.retention_progress p where p.named_task_uuid = r.named_task_uuid);
  end if;

  select p.* into v_progress from tasker.retention_progress p
  where p.next_pass_at <= v_now
    and exists (select from tasker.get_retention_rules() r where r.named_task_uuid = p.named_task_uuid and r.keep_days is not null)
  order by p.next_pass_at, p.named_task_uuid limit 1
  for update skip locked;
  if not found then
    return '{"examined": 0, "expired": 0, "purged": 0, "more": false}';
  end if;
  select jsonb_object_agg(r.state, r.keep_days), min(r.keep_days) into v_days, v_least
  from tasker.get_retention_rules() r where r.named_task_uuid = v_progress.named_task_uuid and r.keep_days is not null;

  with page as (
    select t.task_uuid, t.completed_at + (v_days ->> t.state::text)::int * interval '1 day' <= v_now as is_expired
    from tasker.tasks t
    where t.named_task_uuid = v_progress.named_task_uuid
      and t.task_uuid > coalesce(v_progress.cursor_uuid, '00000000-0000-0000-0000-000000000000')
      -- What was made later cannot have rested for long enough.
      and t.task_uuid < tasker.calculate_first_uuid(v_now - v_least * interval '1 day' + interval '1 second')
    order by t.task_uuid limit p_examine)
  select count(*), (array_agg(p.task_uuid order by p.task_uuid desc))[1],
         (array_agg(p.task_uuid order by p.task_uuid) filter (where p.is_expired))[1:p_limit]
    into v_examined, v_last, v_expired
  from page p;

  if v_expired is not null then
    v_gone := tasker.purge_tasks(v_expired);
  end if;
  v_is_over := v_examined < p_examine and coalesce(cardinality(v_expired), 0) < p_limit;
  update tasker.retention_progress p
  set cursor_uuid = case when v_is_over then null when cardinality(v_expired) = p_limit then v_expired[p_limit] else v_last end,
      next_pass_at = case when v_is_over and v_progress.cursor_uuid is null then v_now + least(p_pause, interval '30 seconds')
                          when v_is_over then v_now + p_pause else p.next_pass_at end,
      purged_tasks = p.purged_tasks + cardinality(v_gone),
      last_purged_at = case when cardinality(v_gone) > 0 then v_now else p.last_purged_at end
  where p.named_task_uuid = v_progress.named_task_uuid;
  return jsonb_build_object('template', v_progress.named_task_uuid, 'examined', v_examined,
    'expired', coalesce(cardinality(v_expired), 0), 'purged', cardinality(v_gone), 'more', true);
end
$$;
comment on function tasker.purge_expired_tasks(int, int, interval, timestamptz) is
  'One batch of the clean-up: purges tasks of one template that have rested for longer than they are kept.';
