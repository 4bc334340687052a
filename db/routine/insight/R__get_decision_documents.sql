-- The decisions of a task as the REST interface shows them, a JSON array in the order of the
-- template: {step, step_uuid, state, depth, options, chosen, not_chosen, reason, decided_at,
-- created_steps}. options are the steps of the template that depend on the decision directly,
-- not_chosen those of them that it did not choose; both without rows of their own until they are
-- created. Null until it has decided. A decision that no other has created is left out. Empty when
-- there is no such task, or it has no decision.
-- Locks: none.
create or replace function tasker.get_decision_documents(p_task_uuid uuid)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'step', ns.name, 'step_uuid', s.workflow_step_uuid, 'state', s.state,
                              'depth', o.depth, 'options', c.options, 'chosen', o.chosen,
                              'not_chosen', case
                                when o.chosen is not null then
                                  (select coalesce(jsonb_agg(n.name order by n.n), '[]')
                                   from jsonb_array_elements_text(
                                     c.options) with ordinality as n(name, n)
                                   where n.name <> all (o.chosen)) end,
                              'reason', o.reason, 'decided_at', o.decided_at,
                              'created_steps', o.created_steps) order by s.step_position),
                  '[]')
  from tasker.workflow_steps s
  join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
  join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
  left join tasker.decision_outcomes o on o.workflow_step_uuid = s.workflow_step_uuid
  cross join lateral (
    select coalesce(jsonb_agg(cn.name order by cd.step_position), '[]') as options
    from tasker.named_tasks_named_steps cd
    join tasker.named_steps cn on cn.named_step_uuid = cd.named_step_uuid
    where cd.named_task_uuid = d.named_task_uuid and d.step_position = any (cd.parent_positions)) c
  where s.task_uuid = p_task_uuid and s.step_position <= 1000000 and s.is_decision
$$;
comment on function tasker.get_decision_documents(uuid) is
  'The decisions of a task as the REST interface shows them, a JSON array in the order of the '
  'template.';
