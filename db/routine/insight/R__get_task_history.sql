-- The history of a task, in the order in which it was written: its moves and those of its steps,
-- the results of attempts, without the details of a long error, operator actions with their
-- reasons, its waits, what happened to its approvals, without their title, form and values, the
-- signals that it received, without their payloads, and its dead letters. A JSON array of {at,
-- kind, step?, ...}; kind is task, step, result, action, wait_armed, wait_ended, approval,
-- signal_received, dead_letter_opened or dead_letter_closed. by is the authenticated caller, and
-- claimed_actor the name in the request; an action made in SQL has only the latter. Empty when
-- there is no such task. Source: ADR 0015.
create or replace function tasker.get_task_history(p_task_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_strip_nulls(e.entry)
                                || jsonb_build_object('at', e.at, 'kind', e.kind) order by e.at,
                              e.turn, e.sort_key),
                    '[]')
    from (
      select h.created_at as at, 'task' as kind, 3 as turn, h.sort_key,
             jsonb_build_object('from_state', h.from_state, 'to_state', h.to_state,
                                'actor', h.actor, 'server_uuid', h.processor_uuid,
                                'metadata', h.metadata) as entry
      from tasker.task_transitions h
      where h.task_uuid = p_task_uuid
      union all
      select h.created_at, 'step', 2, h.sort_key,
             jsonb_build_object('step', coalesce(s.name, n.name), 'from_state', h.from_state,
                                'to_state', h.to_state, 'actor', h.actor, 'attempt', h.attempt,
                                'server_uuid', h.processor_uuid, 'metadata', h.metadata)
      from tasker.workflow_steps s
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      join tasker.workflow_step_transitions h on h.workflow_step_uuid = s.workflow_step_uuid
        and h.task_uuid = p_task_uuid
      where s.task_uuid = p_task_uuid
      union all
      select h.created_at, 'result', 2, r.sort_key,
             jsonb_build_object('step', coalesce(s.name, n.name), 'attempt', r.attempt,
                                'outcome', r.outcome, 'execution_time_ms', r.execution_time_ms,
                                'error', case when octet_length(r.error::text) <= 16384 then r.error
                                              else jsonb_build_object(
                                                'type', left(r.error ->> 'type', 200),
                                                'message', left(r.error ->> 'message', 4000)) end)
      from tasker.workflow_steps s
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      join tasker.workflow_step_transitions h on h.workflow_step_uuid = r.workflow_step_uuid
        and h.sort_key = r.sort_key
        and h.task_uuid = p_task_uuid
      where s.task_uuid = p_task_uuid
      union all
      select a.acted_at, 'action', 1, 0,
             jsonb_build_object('action', a.action, 'by', coalesce(a.authenticated_as, a.acted_by),
                                'claimed_actor', case
                                  when a.authenticated_as is not null then a.acted_by end,
                                'reason', a.reason, 'step', coalesce(s.name, n.name),
                                'details', a.details, 'bulk_token', a.bulk_token)
      from tasker.operator_actions a
      left join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid
      left join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      where a.task_uuid = p_task_uuid
      union all
      select w.armed_at, 'wait_armed', 5, 0,
             jsonb_build_object('step', coalesce(s.name, n.name), 'wait', w.kind,
                                'signal', w.signal_name, 'due_at', w.due_at)
      from tasker.step_waits w
      join tasker.workflow_steps s on s.workflow_step_uuid = w.workflow_step_uuid
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      where w.task_uuid = p_task_uuid and w.kind <> 'approval'
      union all
      select w.ended_at, 'wait_ended', 7, 0,
             jsonb_build_object('step', coalesce(s.name, n.name), 'wait', w.kind,
                                'signal', w.signal_name, 'due_at', w.due_at, 'outcome', w.state,
                                'number', g.number)
      from tasker.step_waits w
      join tasker.workflow_steps s on s.workflow_step_uuid = w.workflow_step_uuid
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      left join tasker.task_signals g on g.wait_uuid = w.wait_uuid
      where w.task_uuid = p_task_uuid and w.kind <> 'approval' and w.ended_at is not null
      union all
      select e.happened_at, 'approval', 5, e.number,
             jsonb_build_object(
               'step', coalesce(s.name, n.name), 'approval_uuid', a.approval_uuid, 'event', e.event,
               'by', e.acted_by, 'to', e.given_to, 'reason', e.note,
               'due_at', case when e.event in ('made', 'escalated') then a.due_at end)
      from tasker.approval_events e
      join tasker.approvals a on a.approval_uuid = e.approval_uuid
      join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      where e.task_uuid = p_task_uuid
      union all
      select g.sent_at, 'signal_received', 6, g.number,
             jsonb_build_object('signal', g.name, 'number', g.number, 'signal_id', g.signal_id,
                                'by', g.sent_by)
      from tasker.task_signals g
      where g.task_uuid = p_task_uuid
      union all
      select d.dlq_timestamp, 'dead_letter_opened', 4, 0,
             jsonb_build_object('dlq_entry_uuid', d.dlq_entry_uuid, 'reason', d.dlq_reason,
                                'state', d.original_state)
      from tasker.tasks_dlq d
      where d.task_uuid = p_task_uuid
      union all
      select d.resolution_timestamp, 'dead_letter_closed', 4, 1,
             jsonb_build_object(
               'dlq_entry_uuid', d.dlq_entry_uuid, 'resolution_status', d.resolution_status,
               'by', coalesce(c.authenticated_as, d.resolved_by),
               'claimed_actor', coalesce(
                 d.claimed_actor,
                 case when c.authenticated_as <> d.resolved_by then d.resolved_by end),
               'reason', d.resolution_notes)
      from tasker.tasks_dlq d
      left join lateral (select a.authenticated_as
                         from tasker.operator_actions a
                         where a.task_uuid = p_task_uuid
                           and a.acted_at = d.resolution_timestamp
                           and a.acted_by in (d.resolved_by, d.claimed_actor) limit 1) c on true
      where d.task_uuid = p_task_uuid and d.resolution_timestamp is not null) e);
end
$$;
comment on function tasker.get_task_history(uuid) is
  'The history of a task, in the order in which it was written.';
