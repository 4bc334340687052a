-- Checks the choice of a decision: a sentence about what is wrong, or null when it may be carried
-- out.
-- Refuses what check_choice refuses, a decision below more than lifecycle.max_decision_depth - 1
-- others, and one that would create more than lifecycle.max_steps_per_decision steps.
-- p_is_known: the caller has asked check_choice. Locks: none.
create or replace function tasker.check_decision(
  p_step_uuid uuid, p_chosen jsonb, p_is_known boolean default false)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_step    record;
  v_wrong   text;
  v_chain   text;
  v_depth   int;
  v_created int;
begin
  select s.task_uuid, s.named_step_uuid, nt.max_decision_depth, nt.max_steps_per_decision,
         nt.total_steps - nt.initial_steps as grown_steps, n.growth_rank is not null as is_grown
    into v_step
  from tasker.workflow_steps s
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  where s.workflow_step_uuid = p_step_uuid;
  if not p_is_known then
    v_wrong := tasker.check_choice(v_step.named_step_uuid, p_chosen);
    if v_wrong is not null then
      return v_wrong;
    end if;
  end if;
  v_depth := case when v_step.is_grown then tasker.calculate_decision_depth(p_step_uuid) else 1 end;
  if v_depth > v_step.max_decision_depth then
    select string_agg(ns.name, ', ' order by o.depth) into v_chain
    from tasker.decision_outcomes o
    join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
    join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
    where o.task_uuid = v_step.task_uuid
      and o.workflow_step_uuid in (
        select d.workflow_step_uuid from tasker.get_step_transitive_dependencies(p_step_uuid) d);
    return format('it is %s decisions deep, below %s, and max_decision_depth is %s', v_depth,
                  v_chain, v_step.max_decision_depth);
  end if;
  -- Most templates have no more steps than a decision may create.
  if v_step.grown_steps > v_step.max_steps_per_decision then
    v_created := cardinality(
      tasker.plan_growth(p_step_uuid, array(select jsonb_array_elements_text(p_chosen))));
    if v_created > v_step.max_steps_per_decision then
      return format('it would create %s steps, and max_steps_per_decision is %s', v_created,
                    v_step.max_steps_per_decision);
    end if;
  end if;
  return null;
end
$$;
comment on function tasker.check_decision(uuid, jsonb, boolean) is
  'Checks the choice of a decision: a sentence about what is wrong, or null when it may be '
  'carried out.';
