-- Which of the given steps an external worker holds: an array of {step_uuid, task_uuid, handoff,
-- template_step_uuid}. Leaves out steps that it does not hold, or not in that handoff. p_steps:
-- array of {step_uuid, handoff}. Null when the worker is not registered, or by another caller
-- (p_owner, as register_worker got it).
-- Locks: none.
create or replace function tasker.get_worker_claims(p_worker_uuid uuid, p_owner text, p_steps jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from tasker.workers w
                 where w.worker_uuid = p_worker_uuid
                   and w.server_uuid is null
                   and w.owner is not distinct from p_owner) then
    return null;
  end if;
  return (
    select coalesce(jsonb_agg(distinct jsonb_build_object(
                                'step_uuid', c.workflow_step_uuid, 'task_uuid', c.task_uuid,
                                'handoff', c.handoff, 'template_step_uuid', s.named_step_uuid)),
                    '[]')
    from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
    join tasker.worker_claims c on c.worker_uuid = p_worker_uuid
      and c.workflow_step_uuid = r.step_uuid
      and c.handoff = r.handoff
    join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
      and s.state = 'in_progress'
      and s.handoffs = c.handoff);
end
$$;
comment on function tasker.get_worker_claims(uuid, text, jsonb) is
  'Which of the given steps an external worker holds.';
