-- The signals that a task has received, in the order of their arrival: a JSON array of
-- {signal_uuid, number, name, signal_id, sent_at, sent_by, payload, consumed_at, consumed_by};
-- consumed_by is the name of the step, null while the signal is kept.
-- p_shows_payloads: false leaves out payload. Empty when there is no such task.
create or replace function tasker.get_signal_documents(
  p_task_uuid uuid, p_shows_payloads boolean default false)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object('signal_uuid', g.signal_uuid, 'number', g.number,
                                               'name', g.name, 'signal_id', g.signal_id,
                                               'sent_at', g.sent_at, 'sent_by', g.sent_by,
                                               'consumed_at', g.consumed_at,
                                               'consumed_by', coalesce(s.name, n.name)) || case
                              when p_shows_payloads then jsonb_build_object('payload', g.payload)
                              else '{}' end order by g.number),
                  '[]')
  from tasker.task_signals g
  left join tasker.step_waits w on w.wait_uuid = g.wait_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = w.workflow_step_uuid
  left join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  where g.task_uuid = p_task_uuid
$$;
comment on function tasker.get_signal_documents(uuid, boolean) is
  'The signals that a task has received, in the order of their arrival.';
