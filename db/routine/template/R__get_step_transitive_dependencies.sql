-- All ancestors of a step, one row each, nearest first, with their results. distance is the
-- shortest path. No row when there is no such step.
-- UNION keeps one row per (step, distance) and not one per path, and the results are fetched only
-- afterwards. A walk of as many edges as the task has steps has gone round a cycle and ends; no
-- step is its own ancestor here.
create or replace function tasker.get_step_transitive_dependencies(target_step_uuid uuid)
returns table (workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, step_name text,
               results jsonb, processed boolean, distance int)
language sql stable parallel safe
as $$
  with recursive ancestors(step_uuid, distance) as (
    -- The ancestors of a worker are those of its batch step.
    select coalesce((select b.batch_step_uuid
                     from tasker.workflow_steps b
                     where b.workflow_step_uuid = target_step_uuid),
                    target_step_uuid),
           0
    union
    select p.workflow_step_uuid, a.distance + 1
    from ancestors a
    cross join lateral tasker.get_parent_steps(a.step_uuid) p
    where a.distance < (select t.total_steps
                        from tasker.workflow_steps s
                        join tasker.tasks t on t.task_uuid = s.task_uuid
                        where s.workflow_step_uuid = target_step_uuid)),
  nearest as (
    select a.step_uuid, min(a.distance) as distance
    from ancestors a
    where a.distance > 0 and a.step_uuid <> target_step_uuid
    group by a.step_uuid)
  select s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, coalesce(s.name, n.name)::text,
         r.result, tasker.step_ended_well(s.state), nearest.distance
  from nearest
  join tasker.workflow_steps s on s.workflow_step_uuid = nearest.step_uuid
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    and r.sort_key = s.result_sort_key
    and r.success
  order by nearest.distance, s.step_position
$$;
comment on function tasker.get_step_transitive_dependencies(uuid) is
  'All ancestors of a step, one row each, nearest first, with their results.';
