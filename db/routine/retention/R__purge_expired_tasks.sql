-- One batch of the clean-up: examines the oldest tasks of one template, from where the last batch
-- stopped, until it has found p_limit expired ones or examined p_examine, and purges those whose
-- retention time has passed. After a full pass over the template's tasks the next one begins after
-- p_pause, or after half a minute at most when the pass was a single, cheap batch. Concurrent
-- callers get different templates.
-- Returns {template_uuid, examined, expired, purged, more}: more is false when no task was due for
-- examination.
-- Locks: the template's row of retention_progress, skip locked; as purge_tasks. Source: ADR 0021.
create or replace function tasker.purge_expired_tasks(
  p_limit int default 500, p_examine int default 5000, p_pause interval default '5 minutes',
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
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
  -- One session inserts the rows of new templates; otherwise the others would wait for its batch.
  if pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('tasker.purge_expired_tasks')) then
    insert into tasker.retention_progress (named_task_uuid)
    select distinct r.named_task_uuid
    from tasker.get_retention_rules() r
    where r.keep_days is not null
      and not exists (select from tasker.retention_progress p
                      where p.named_task_uuid = r.named_task_uuid);
  end if;

  select p.* into v_progress
  from tasker.retention_progress p
  -- Also one that no pass has put off so far: a mistaken statement, or a clock that was set back.
  where (p.next_pass_at <= v_now or p.next_pass_at > v_now + p_pause + interval '1 day')
    and exists (select from tasker.get_retention_rules() r
                where r.named_task_uuid = p.named_task_uuid and r.keep_days is not null)
  order by p.next_pass_at, p.named_task_uuid limit 1
  for update skip locked;
  if not found then
    return '{"examined": 0, "expired": 0, "purged": 0, "more": false}';
  end if;
  select jsonb_object_agg(r.state, r.keep_days), min(r.keep_days) into v_days, v_least
  from tasker.get_retention_rules() r
  where r.named_task_uuid = v_progress.named_task_uuid and r.keep_days is not null;

  -- A materialized CTE is read row by row, no further than to the last row that is needed.
  with page as materialized (
    select t.task_uuid,
           t.completed_at + (v_days ->> t.state::text)::int * interval '1 day'
             <= v_now as is_expired,
           row_number() over (order by t.task_uuid) as row_no
    from tasker.tasks t
    where t.named_task_uuid = v_progress.named_task_uuid
      and t.task_uuid > coalesce(v_progress.cursor_uuid, '00000000-0000-0000-0000-000000000000')
      -- A task created later cannot have been finished for long enough.
      and t.task_uuid
        < tasker.calculate_first_uuid(v_now - v_least * interval '1 day' + interval '1 second')
    order by t.task_uuid limit p_examine),
  expired as (select p.task_uuid, p.row_no from page p where p.is_expired limit p_limit)
  select array_agg(e.task_uuid order by e.row_no),
         case when count(*) < p_limit then (select count(*) from page) else max(e.row_no) end,
         case when count(*) < p_limit then
                (select p.task_uuid from page p order by p.row_no desc limit 1) end
    into v_expired, v_examined, v_last
  from expired e;

  if v_expired is not null then
    v_gone := tasker.purge_tasks(v_expired);
  end if;
  v_is_over := v_examined < p_examine and coalesce(cardinality(v_expired), 0) < p_limit;
  update tasker.retention_progress p
  set cursor_uuid = case when v_is_over then null
                         when cardinality(v_expired) = p_limit then v_expired[p_limit]
                         else v_last end,
      next_pass_at = case when v_is_over and v_progress.cursor_uuid is null then
                            v_now + least(p_pause, interval '30 seconds')
                          when v_is_over then v_now + p_pause
                          else p.next_pass_at end,
      purged_tasks = p.purged_tasks + cardinality(v_gone),
      last_purged_at = case when cardinality(v_gone) > 0 then v_now else p.last_purged_at end
  where p.named_task_uuid = v_progress.named_task_uuid;
  return jsonb_build_object('template_uuid', v_progress.named_task_uuid, 'examined', v_examined,
    'expired', coalesce(cardinality(v_expired), 0), 'purged', cardinality(v_gone), 'more', true);
end
$$;
comment on function tasker.purge_expired_tasks(int, int, interval, timestamptz) is
  'One batch of the clean-up: purges tasks of one template whose retention period is over.';
