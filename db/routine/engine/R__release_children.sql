-- Counts down the remaining parents of the children of finished steps. Children whose last parent
-- finished, and whose task accepts new steps, are returned in the order of their handoff, and
-- enqueue_steps sets their count; this function lowers the count of the others. Ready steps of one
-- task come in the order of its template.
-- o_grows: a step that the engine completes itself or that waits is ready, or a decision or the
-- worker of a batch was completed, so that grow_tasks has work.
-- Locks: the children; the caller holds the rows of their tasks, so reading the counts without a
-- lock is safe.
create or replace function tasker.release_children(
  p_completed uuid[], out o_ready uuid[], out o_grows boolean)
language plpgsql
set search_path = ''
as $$
begin
  o_ready := '{}';
  o_grows := false;
  if coalesce(cardinality(p_completed), 0) = 0 then
    return;
  end if;
  with done as materialized (
    select s.task_uuid, s.named_step_uuid, s.step_position,
           s.is_decision or s.batch_step_uuid is not null as grows
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_completed)),
  -- In two halves: the one condition of workflow_step_edges is two look-ups more for each step.
  edges as (
    select d.task_uuid, e.to_position
    from done d
    join tasker.named_step_edges e on e.from_named_step_uuid = d.named_step_uuid
      and e.from_position = d.step_position
    union all
    select d.task_uuid, e.to_position
    from done d
    join tasker.added_step_edges e on e.task_uuid = d.task_uuid
      and e.from_position = d.step_position),
  children as (
    select c.workflow_step_uuid, c.task_uuid, c.step_position,
           c.remaining_parents - k.done as remaining, t.claim_order, c.is_automatic,
           c.remaining_parents = k.done
             and c.state = 'pending'
             and t.cancel_requested_at is null
             and (t.failed_steps = 0 or t.continue_on_error)
             -- Evaluated once per statement, on a table that is empty unless an operator has paused
             -- a template.
             and t.named_task_uuid
               <> all (array(select p.named_task_uuid from tasker.template_pauses p)) as is_ready
    from (select e.task_uuid, e.to_position, count(*)::int as done
          from edges e
          group by e.task_uuid, e.to_position) k
    join tasker.workflow_steps c on c.task_uuid = k.task_uuid and c.step_position = k.to_position
    join tasker.tasks t on t.task_uuid = c.task_uuid),
  counted as (
    update tasker.workflow_steps s set remaining_parents = c.remaining
    from children c
    where s.workflow_step_uuid = c.workflow_step_uuid and not c.is_ready)
  select coalesce(array_agg(c.workflow_step_uuid order by c.claim_order, c.task_uuid,
                            c.step_position) filter (where c.is_ready),
                  '{}'),
         coalesce(bool_or(c.is_ready and c.is_automatic), false)
           or exists (select from done d where d.grows) into o_ready, o_grows
  from children c;
end
$$;
comment on function tasker.release_children(uuid[]) is
  'Counts down the remaining parents of the children of finished steps.';
