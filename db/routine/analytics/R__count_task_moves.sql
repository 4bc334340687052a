-- The changes in the number of tasks in each state, and of steps of finished tasks, made by
-- transactions p_from up to but excluding p_until (null: all that the caller sees).
-- A task that ends adds its steps, in their states at that time; a task that an operator restarts
-- subtracts them. Reads only, by index look-ups: any other plan for the steps read all tasks.
create or replace function tasker.count_task_moves(p_from bigint, p_until bigint default null)
returns table (task_state tasker.task_state, step_state tasker.step_state, change bigint)
language plpgsql stable
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  with moves as materialized (
    select h.task_uuid, h.sort_key, h.from_state, h.to_state, h.created_at
    from tasker.task_transitions h
    where h.xact_id >= p_from
      and (p_until is null or h.xact_id < p_until)
      and h.created_at > (select a.rebuilt_at from tasker.analytics_progress a)
      -- Purged tasks are no longer in the tallies; only a rebuild reads their moves again.
      and not exists (select from tasker.purged_tasks g where g.task_uuid = h.task_uuid)),
  changes as (
    select m.to_state as state, 1 as change
    from moves m
    union all
    select m.from_state, -1 from moves m where m.from_state is not null),
  rests as (
    select m.task_uuid, m.sort_key, m.created_at,
           case when tasker.is_terminal(m.to_state) then 1 else -1 end as change
    from moves m
    where tasker.is_terminal(m.to_state) <> coalesce(tasker.is_terminal(m.from_state), false)),
  seen as materialized (
    -- Materialized before the steps are looked up: otherwise the planner read the moves of all
    -- steps and then filtered them.
    select r.*, t.transition_count = r.sort_key as is_latest
    from rests r
    join tasker.tasks t on t.task_uuid = r.task_uuid),
  steps as (
    -- Nothing has moved since: the steps are as they were.
    select s.state, r.change
    from seen r
    join tasker.workflow_steps s on s.task_uuid = r.task_uuid
    where r.is_latest
    union all
    select h.to_state, r.change
    from seen r
    join tasker.workflow_steps s on s.task_uuid = r.task_uuid
    cross join lateral (select w.to_state
                        from tasker.workflow_step_transitions w
                        where w.task_uuid = s.task_uuid
                          and w.workflow_step_uuid = s.workflow_step_uuid
                          and w.created_at <= case when r.change > 0 then r.created_at
                                                   else (select e.created_at
                                                         from tasker.task_transitions e
                                                         where e.task_uuid = r.task_uuid
                                                           and e.sort_key = r.sort_key - 1) end
                        order by w.sort_key desc limit 1) h
    where not r.is_latest)
  select c.state, null::tasker.step_state, sum(c.change)::bigint
  from changes c
  group by c.state
  union all
  select null, s.state, sum(s.change)::bigint from steps s group by s.state;
end
$$;
comment on function tasker.count_task_moves(bigint, bigint) is
  'How the moves of a range of transactions changed the number of tasks in each state, and of '
  'steps of finished tasks.';
