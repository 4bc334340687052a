-- The next due tasks: by their wake-up, and by priority among the oldest of them. Locks rows of
-- tasks, so that two sessions get different ones while their transactions last.
-- A task that the database gave up (is_too_expensive) is only taken with a p_limit of 1.
-- Covers every state that can move by itself; a task that waits for its retry appears when the
-- retry is due and costs nothing before.
-- Locks: the tasks, skip locked.
create or replace function tasker.get_next_ready_tasks(
  p_limit int default 5, p_now timestamptz default null)
returns table (task_uuid uuid, task_name text, priority int, namespace_name text,
               ready_steps_count bigint, computed_priority numeric,
               current_state varchar)
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with due as materialized (
    select t.task_uuid, t.named_task_uuid, t.priority, t.claim_order, t.state,
           tasker.accepts_handoffs(t) as accepts
    from tasker.task_wakeups w
    join tasker.tasks t on t.task_uuid = w.task_uuid
    where w.wake_at <= v_now and t.context_checked
      and (p_limit = 1
           or not exists (select from tasker.task_faults f
                          where f.task_uuid = t.task_uuid
                            and tasker.is_too_expensive(f.sqlstate)))
    order by w.wake_at
    limit p_limit
    for no key update of t skip locked)
  select d.task_uuid, nt.name::text, d.priority, ns.name::text, c.ready,
         tasker.calculate_priority(d.claim_order, greatest(c.attempts - 1, 0), v_now),
         d.state::varchar
  from due d
  join tasker.named_tasks nt on nt.named_task_uuid = d.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  cross join lateral (
    select count(
             *) filter (where s.remaining_parents = 0
                        and (s.state = 'pending'
                             or (s.state = 'waiting_for_retry' and s.next_retry_at <= v_now))
                        and d.accepts
                        and not tasker.waits_for_slot(s)
                        and not tasker.has_open_wait(s, v_now)) as ready,
           max(s.attempts)::int as attempts
    from tasker.get_open_steps(d.task_uuid) s) c
  order by tasker.calculate_claim_rank(d.claim_order, c.attempts), d.task_uuid;
end
$$;
comment on function tasker.get_next_ready_tasks(int, timestamptz) is
  'The next due tasks: by their wake-up, and by priority among the oldest of them.';
