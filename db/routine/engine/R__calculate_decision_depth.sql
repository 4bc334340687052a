-- How many decisions lead to a decision, itself included: 1 for one that the task began with,
-- otherwise one more than the deepest among its ancestors and the decision that created it. That
-- one need not be an ancestor: a join of what was there before is created when the last decision
-- above it has chosen something else. Null when there is no such step. In plpgsql, which caches its
-- plans.
-- Locks: none.
create or replace function tasker.calculate_decision_depth(p_step_uuid uuid)
returns int
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select case
             when n.growth_rank is null then 1
             else (
               with recursive above(step_uuid) as (
                 (select p.workflow_step_uuid
                  from tasker.get_parent_steps(s.workflow_step_uuid) p
                  union
                  select nullif(h.metadata ->> 'decision', '')::uuid
                  from tasker.workflow_step_transitions h
                  where h.task_uuid = s.task_uuid
                    and h.workflow_step_uuid = s.workflow_step_uuid
                    and h.sort_key = 1)
                 union
                 select p.workflow_step_uuid
                 from above a
                 cross join lateral tasker.get_parent_steps(a.step_uuid) p)
               select coalesce(max(o.depth), 0) + 1
               from above a
               join tasker.decision_outcomes o on o.workflow_step_uuid = a.step_uuid) end
    from tasker.workflow_steps s
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.workflow_step_uuid = p_step_uuid);
end
$$;
comment on function tasker.calculate_decision_depth(uuid) is
  'How many decisions lead to a decision, itself included.';
