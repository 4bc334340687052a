-- Begins the compensation of the ended child whose output is the result of the step that
-- p_undo_step_uuid undoes: a task of its own (o_task_uuid), a child of that step, of the template
-- of the ended one and with its context, that consists of the compensating steps from its
-- beginning. The ended child itself does not move any more. Once for each child: a second call
-- finds the same task, whatever became of it. o_result, without a task, when there is nothing to
-- undo: the step took no child, or the template of the child has no compensation. o_error when the
-- child was deleted, or its documents were erased.
-- o_queued: the namespace in which steps were offered.
-- Locks: the rows that it inserts; the caller holds the parent. Source: ADR 0061.
create or replace function tasker.compensate_child(
  p_undo_step_uuid uuid, p_server_uuid uuid, p_now timestamptz, out o_task_uuid uuid,
  out o_result jsonb, out o_error jsonb, out o_queued text[])
language plpgsql
set search_path = ''
as $$
declare
  v_child record;
begin
  o_queued := '{}';
  select w.child_task_uuid as taken_uuid, c.task_uuid, c.named_task_uuid, c.priority, c.is_limited,
         c.erased_at, ns.name as namespace, ns.priority_modifier, u.task_uuid as parent_uuid,
         x.task_uuid as undo_task_uuid,
         exists (select from tasker.named_tasks_named_steps k
                 where k.named_task_uuid = c.named_task_uuid
                   and k.step_type = 'compensation') as has_compensations into v_child
  from tasker.workflow_steps u
  join tasker.workflow_steps d on d.workflow_step_uuid = u.compensates_step_uuid
  left join tasker.step_waits w on w.task_uuid = d.task_uuid
    and w.workflow_step_uuid = d.workflow_step_uuid
    and w.kind = 'child'
    and w.state = 'satisfied'
  left join tasker.tasks c on c.task_uuid = w.child_task_uuid
  left join tasker.named_tasks nt on nt.named_task_uuid = c.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.tasks x on x.compensates_task_uuid = c.task_uuid
  where u.workflow_step_uuid = p_undo_step_uuid
  order by w.armed_at desc, w.wait_uuid desc limit 1;
  if v_child.undo_task_uuid is not null then
    o_task_uuid := v_child.undo_task_uuid;
    return;
  elsif v_child.taken_uuid is not null and v_child.task_uuid is null then
    o_error := jsonb_build_object(
      'type', 'child_not_found',
      'message', format('child task %s was deleted, and what it has done cannot be compensated',
                        v_child.taken_uuid),
      'details', jsonb_build_object('child_task_uuid', v_child.taken_uuid));
    return;
  elsif v_child.erased_at is not null and v_child.has_compensations then
    o_error := jsonb_build_object(
      'type', 'child_erased',
      'message', format('the documents of child task %s were erased, and what it has done cannot '
                        'be compensated', v_child.task_uuid),
      'details', jsonb_build_object('child_task_uuid', v_child.task_uuid));
    return;
  elsif not v_child.has_compensations then
    o_result := jsonb_build_object(
      'child_task_uuid', v_child.task_uuid, 'compensation_task_uuid', null);
    return;
  end if;
  o_task_uuid := tasker.uuid_v7();
  insert into tasker.tasks
    (task_uuid, named_task_uuid, correlation_id, parent_correlation_id, parent_task_uuid,
     parent_step_uuid, compensates_task_uuid, compensation, created_at, requested_at, claim_order,
     priority, transition_count, total_steps, unfinished_steps, continue_on_error, is_limited,
     is_keyed, initiator, source_system, reason)
  select o_task_uuid, v_child.named_task_uuid, o_task_uuid, p.correlation_id, p.task_uuid,
         p_undo_step_uuid, v_child.task_uuid, 'parent', p_now, p_now,
         tasker.calculate_claim_order(p_now, v_child.priority + v_child.priority_modifier),
         v_child.priority, 1, 0, 0, true, v_child.is_limited, false, p.initiator, p.source_system,
         'compensates child task ' || v_child.task_uuid
  from tasker.tasks p
  where p.task_uuid = v_child.parent_uuid;
  insert into tasker.task_contexts (task_uuid, context, trace_parent, submitted_by)
  select o_task_uuid, x.context, x.trace_parent, x.submitted_by
  from tasker.task_contexts x
  where x.task_uuid = v_child.task_uuid;
  perform tasker.write_search_attributes(array[o_task_uuid]);
  insert into tasker.task_moves
    (task_uuid, sort_key, from_state, to_state, actor, processor_uuid)
  values (o_task_uuid, 1, null, 'pending', 'orchestrator', p_server_uuid);
  insert into tasker.task_wakeups (task_uuid, wake_at)
  values (o_task_uuid, p_now + interval '30 seconds');
  perform tasker.roll_up_task_states(
    tasker.begin_compensations(array[o_task_uuid], p_server_uuid, p_now, 'parent'), p_server_uuid,
    p_now);
  o_queued := array[v_child.namespace::text];
end
$$;
comment on function tasker.compensate_child(uuid, uuid, timestamptz) is
  'Begins the compensation of an ended child task: a task of its own, once for each child.';
