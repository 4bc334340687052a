-- The running steps, of those given, that were asked to stop, a JSON array of {step_uuid, handoff,
-- force_in_ms}: the time until recovery ends them in milliseconds, 0 for now. p_steps: array of
-- {step_uuid, handoff}.
-- Locks: none.
create or replace function tasker.get_cancel_requests(p_steps jsonb, p_now timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object(
                                      'step_uuid', r.step_uuid, 'handoff', r.handoff,
                                      'force_in_ms', greatest(
                                        ceil(extract(epoch from t.cancel_force_at
                                                     - coalesce(p_now, clock_timestamp())) * 1000),
                                        0))),
                          '[]')
          from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
          join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
            and s.state = 'in_progress'
            and s.handoffs = r.handoff
          join tasker.tasks t on t.task_uuid = s.task_uuid
          where t.cancel_force_at is not null);
end
$$;
comment on function tasker.get_cancel_requests(jsonb, timestamptz) is
  'The running steps, of those given, that were asked to stop, and the time that each has left.';
