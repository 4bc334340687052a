-- What get_next_ready_task returns, for one given task in any state. No row when there is no such
-- task.
create or replace function tasker.get_task_ready_info(
  p_task_uuid uuid, p_now timestamptz default null)
returns table (task_uuid uuid, task_name text, priority int, namespace_name text,
               ready_steps_count bigint, computed_priority numeric,
               current_state varchar)
language sql stable parallel safe
as $$
  select t.task_uuid, n.name::text, t.priority, ns.name::text, c.ready_steps,
         tasker.calculate_priority(
           t.claim_order,
           (select greatest(max(s.attempts) - 1, 0)::int from tasker.get_open_steps(t.task_uuid) s),
           p_now),
         t.state::varchar
  from tasker.tasks t
  join tasker.named_tasks n on n.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = n.task_namespace_uuid
  cross join lateral tasker.get_task_execution_contexts_batch(array[t.task_uuid], p_now) c
  where t.task_uuid = p_task_uuid
$$;
comment on function tasker.get_task_ready_info(uuid, timestamptz) is
  'What get_next_ready_task returns, for one given task in any state.';
