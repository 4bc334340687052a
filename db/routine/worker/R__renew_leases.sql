-- Renews the leases of the steps that a worker still runs, by the database's clock. Skips leases
-- with more than two thirds of their time left.
-- p_steps: array of {step_uuid, handoff}. Returns {lost: [uuids of the steps whose handoff is no
-- longer in progress],
-- cancel_requested: [uuids of the steps whose handlers should stop, because their task is being
-- cancelled]}.
-- Locks: the steps (skip locked).
create or replace function tasker.renew_leases(
  p_steps jsonb, p_lease_seconds int, p_now timestamptz)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_array_length(p_steps) = 0 then
    return '{"lost": [], "cancel_requested": []}';
  end if;
  with due as (
    select s.workflow_step_uuid
    from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
    join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
    where s.state = 'in_progress'
      and s.handoffs = r.handoff
      and s.lease_expires_at <= p_now + p_lease_seconds * interval '1 second' * 2 / 3
    -- Another session is submitting or claiming a locked step; waiting for it could deadlock with a
    -- batch.
    for no key update of s skip locked)
  update tasker.workflow_steps s
  set lease_expires_at = tasker.calculate_lease_end(p_now, p_lease_seconds)
  from due d
  where s.workflow_step_uuid = d.workflow_step_uuid and s.state = 'in_progress';
  return jsonb_build_object(
    'lost', (select coalesce(jsonb_agg(r.step_uuid), '[]')
             from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
             where not exists (select from tasker.workflow_steps s
                               where s.workflow_step_uuid = r.step_uuid
                                 and s.state = 'in_progress'
                                 and s.handoffs = r.handoff)),
    'cancel_requested', (select coalesce(jsonb_agg(s.workflow_step_uuid), '[]')
                         from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
                         join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
                         join tasker.tasks t on t.task_uuid = s.task_uuid
                         where s.state = 'in_progress'
                           and s.handoffs = r.handoff
                           and t.cancel_requested_at is not null
                           and t.cancel_policy = 'cancel_running'));
end
$$;
comment on function tasker.renew_leases(jsonb, int, timestamptz) is
  'Renews the leases of the steps that a worker still runs, by the database''s clock.';
