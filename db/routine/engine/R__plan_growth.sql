-- The steps that a decision brings about: the positions in the template of the steps to create when
-- p_step_uuid chooses p_chosen, in an order in which each comes after its parents. Steps downstream
-- of a decision are created once all decisions above them are made; then
--   a step that a decision chose is created;
--   a step is created that follows from one that a decision brought about: it depends on it, and it
--   is no decision that lies between; a deferred convergence is created if one of its parents is,
--   or, with on_none: run, if none is and it can be reached from a step that is there without
--   passing a decision that was not created.
-- What is not created then never is. A decision counts as made once its outcome has been carried
-- out, and p_step_uuid counts as made.
-- Locks: none; the caller holds the task. Source: ADR 0033.
create or replace function tasker.plan_growth(p_step_uuid uuid, p_chosen text[])
returns int[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_task      uuid;
  v_template  uuid;
  v_step      record;
  v_parent    int;
  v_plan      int[] := '{}';
  -- By position in the template. Created: null while a decision above is open.
  v_created   boolean[];
  v_grown     boolean[];
  v_decision  boolean[];
  v_undecided boolean[];
  v_reached   boolean[];
  v_is_open   boolean;
  v_has_any   boolean;
  v_follows   boolean;
  v_is_reached boolean;
begin
  select s.task_uuid, t.named_task_uuid, array_fill(true, array[nt.total_steps]),
         array_fill(false, array[nt.total_steps]) into v_task, v_template, v_created, v_grown
  from tasker.workflow_steps s
  join tasker.tasks t on t.task_uuid = s.task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where s.workflow_step_uuid = p_step_uuid;
  v_decision := v_grown;
  v_undecided := v_grown;
  v_reached := v_grown;

  for v_step in
    with made as materialized (
      select o.workflow_step_uuid, o.chosen
      from tasker.decision_outcomes o
      where o.task_uuid = v_task and o.created_steps is not null
      union all
      select p_step_uuid, p_chosen),
    choices as materialized (
      select distinct c.name from made m cross join unnest(m.chosen) as c(name))
    select n.step_position, n.parent_positions, n.growth_rank is not null as is_grown,
           n.step_type = 'decision' as is_decision,
           n.step_type = 'deferred_convergence' as is_convergence, n.runs_on_none,
           s.workflow_step_uuid is not null as is_there,
           m.workflow_step_uuid is not null as is_made, c.name is not null as is_chosen
    from tasker.named_tasks_named_steps n
    left join tasker.workflow_steps s on s.task_uuid = v_task
      and s.step_position = n.step_position
      and s.name is null
    left join made m on m.workflow_step_uuid = s.workflow_step_uuid
    left join tasker.named_steps ns on n.growth_rank is not null
      and ns.named_step_uuid = n.named_step_uuid
    left join choices c on c.name = ns.name
    where n.named_task_uuid = v_template and (n.growth_rank is not null or n.step_type = 'decision')
    order by n.growth_rank nulls first
  loop
    if v_step.is_grown then
      v_is_open := false;
      v_has_any := false;
      v_follows := v_step.is_chosen;
      v_is_reached := false;
      foreach v_parent in array v_step.parent_positions loop
        if v_created[v_parent] is null or v_undecided[v_parent] then
          v_is_open := true;
        elsif v_created[v_parent] then
          v_is_reached := true;
          v_has_any := v_has_any or not v_decision[v_parent];
          v_follows := v_follows or (v_grown[v_parent] and not v_decision[v_parent]);
        elsif not v_decision[v_parent] then
          v_is_reached := v_is_reached or v_reached[v_parent];
        end if;
      end loop;
      v_grown[v_step.step_position] := true;
      v_reached[v_step.step_position] := v_is_reached;
      if not v_step.is_there then
        v_created[v_step.step_position] := case
          when v_is_open then null
          else v_follows
            or (v_step.is_convergence
                and (v_has_any or (v_step.runs_on_none and v_is_reached))) end;
        if v_created[v_step.step_position] then
          v_plan := v_plan || v_step.step_position;
        end if;
      end if;
    end if;
    v_decision[v_step.step_position] := v_step.is_decision;
    -- One that is not created decides nothing, and holds up nothing.
    v_undecided[v_step.step_position] :=
      v_step.is_decision and not v_step.is_made and coalesce(v_created[v_step.step_position], true);
  end loop;
  return v_plan;
end
$$;
comment on function tasker.plan_growth(uuid, text[]) is
  'The positions in the template of the steps to create when a decision chooses p_chosen.';
