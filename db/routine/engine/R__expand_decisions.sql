-- Carries out the outcomes of completed decisions: creates the steps that plan_growth names, with
-- their edges and first history, all pending, and counts them on their tasks. An edge leads to a
-- new step from each of its parents in the template that is there, and from the decision if it
-- chose the step, or no parent is there. A parent that is done counts as done. Creates nothing in a
-- task that has ended or is being cancelled. Leaves out steps without an outcome that is still to
-- be carried out.
-- Locks: the tasks, held by the caller. Returns the new steps without an unfinished parent. Source:
-- ADR 0033.
create or replace function tasker.expand_decisions(
  p_step_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_outcome   record;
  v_decisions uuid[];
  v_counts    int[];
  v_makers    uuid[];
  v_positions int[];
  v_plan      int[];
  v_plans     jsonb := '{}';
  v_ready     uuid[] := '{}';
  v_births    tasker.step_birth[];
  v_new       uuid[];
begin
  -- One decision of each task at a time: the next one of the same task sees what this one created.
  loop
    v_decisions := '{}';
    v_counts := '{}';
    v_makers := '{}';
    v_positions := '{}';
    for v_outcome in
      select distinct on (o.task_uuid) o.workflow_step_uuid, o.chosen,
             t.completed_at is null and t.cancel_requested_at is null as may_grow,
             -- Decisions that are the first of their tasks bring about the same if they are the
             -- same and choose the same.
             case when not exists (select from tasker.decision_outcomes b
                                   where b.task_uuid = o.task_uuid
                                     and b.created_steps is not null) then
                    s.named_step_uuid::text || o.chosen::text end as plan_key
      from tasker.decision_outcomes o
      join tasker.tasks t on t.task_uuid = o.task_uuid
      join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
      where o.workflow_step_uuid = any (p_step_uuids) and o.created_steps is null
      order by o.task_uuid, o.workflow_step_uuid
    loop
      v_plan := '{}';
      if v_outcome.may_grow and v_plans ? v_outcome.plan_key then
        v_plan := array(select jsonb_array_elements_text(v_plans -> v_outcome.plan_key)::int);
      elsif v_outcome.may_grow then
        v_plan := tasker.plan_growth(v_outcome.workflow_step_uuid, v_outcome.chosen);
        if v_outcome.plan_key is not null then
          v_plans := v_plans || jsonb_build_object(v_outcome.plan_key, v_plan);
        end if;
      end if;
      v_decisions := v_decisions || v_outcome.workflow_step_uuid;
      v_counts := v_counts || cardinality(v_plan);
      v_makers := v_makers || array_fill(v_outcome.workflow_step_uuid, array[cardinality(v_plan)]);
      v_positions := v_positions || v_plan;
    end loop;
    exit when v_decisions = '{}';
    update tasker.decision_outcomes o set created_steps = u.created
    from unnest(v_decisions, v_counts) as u(step_uuid, created)
    where o.workflow_step_uuid = u.step_uuid;
    continue when v_positions = '{}';

    -- Each row has the keys of all that its decision creates, so that the history can name parents
    -- that are not there yet.
    with plans as materialized (
      select u.decision_uuid, array_agg(u.position order by u.n) as positions,
             array_agg(tasker.uuid_v7() order by u.n) as keys
      from unnest(v_makers, v_positions) with ordinality as u(decision_uuid, position, n)
      group by u.decision_uuid),
    given as (
      select u.step_uuid, p.decision_uuid, d.step_position as decision_position, p.positions,
             p.keys, t.task_uuid,
             n.named_step_uuid, n.step_position, n.parent_positions,
             n.handler_callable is null
               or n.wait_for is not null
               or n.step_type = 'batch_worker' as is_automatic,
             ns.name = any (o.chosen) as is_chosen
      from plans p
      join tasker.decision_outcomes o on o.workflow_step_uuid = p.decision_uuid
      join tasker.workflow_steps d on d.workflow_step_uuid = p.decision_uuid
      join tasker.tasks t on t.task_uuid = o.task_uuid
      cross join lateral unnest(p.positions, p.keys) as u(position, step_uuid)
      join tasker.named_tasks_named_steps n on n.named_task_uuid = t.named_task_uuid
        and n.step_position = u.position
      join tasker.named_steps ns on ns.named_step_uuid = n.named_step_uuid),
    -- With the edge from the decision, where the template has none: it is done.
    judged as materialized (
      select g.step_uuid, g.decision_uuid, g.task_uuid, g.named_step_uuid, g.step_position,
             g.is_automatic, e.remaining,
             e.parents || case when d.from_decision then jsonb_build_array(g.decision_uuid)
                               else '[]' end as parents,
             e.positions || case when d.from_decision then array[g.decision_position]
                                 else '{}' end as positions
      from given g
      cross join lateral (
        select count(*)::int as total,
               (count(*)
                filter (where s.state is null
                        or not tasker.step_ended_well(s.state)))::int as remaining,
               coalesce(bool_or(s.workflow_step_uuid = g.decision_uuid), false) as has_decision,
               coalesce(jsonb_agg(coalesce(k.step_uuid, s.workflow_step_uuid)), '[]') as parents,
               coalesce(array_agg(p.position), '{}') as positions
        from unnest(g.parent_positions) as p(position)
        cross join lateral (select g.keys[array_position(g.positions, p.position)] as step_uuid) k
        left join tasker.workflow_steps s on k.step_uuid is null
          and s.task_uuid = g.task_uuid
          and s.step_position = p.position
          and s.name is null
        where k.step_uuid is not null or s.workflow_step_uuid is not null) e
      cross join lateral (select e.total = 0
                                 or (g.is_chosen and not e.has_decision) as from_decision) d)
    select array_agg((j.step_uuid, j.task_uuid, j.named_step_uuid, j.step_position, null,
                      j.positions, j.remaining, j.is_automatic, null, null, null,
                      -- What check_history() holds the edges against.
                      jsonb_build_object('decision', j.decision_uuid, 'parents', j.parents))
                       ::tasker.step_birth),
           array_agg(j.step_uuid order by j.task_uuid, j.step_position)
             filter (where j.remaining = 0) into v_births, v_new
    from judged j;
    perform tasker.insert_steps(v_births, p_server_uuid, v_now);
    v_ready := v_ready || v_new;
  end loop;
  return v_ready;
end
$$;
comment on function tasker.expand_decisions(uuid[], uuid, timestamptz) is
  'Carries out the outcomes of completed decisions: creates the steps that follow from them.';
