-- Saves checkpoints of steps that an external worker runs, and renews the leases of these steps:
-- their handlers go on.
-- p_checkpoints: array of {step_uuid, handoff, checkpoint}, each step once. p_owner: as
-- register_worker got it.
-- Returns {outcome: saved, verdicts: [{step_uuid, handoff, verdict}] in the order of p_checkpoints,
-- cancels: as get_cancel_requests of the saved ones}: verdict saved; stale, when the worker does
-- not hold the step in that handoff, or never did, which changes nothing. {outcome: unknown_worker}
-- when the worker is not registered, or by another caller, and {outcome: invalid, index, message}
-- when a checkpoint is larger than check_checkpoint allows; both change nothing.
-- Locks: the worker's row, then the steps by uuid.
create or replace function tasker.save_worker_checkpoints(
  p_worker_uuid uuid, p_owner text, p_checkpoints jsonb, p_lease_seconds int default 60,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_invalid  record;
  v_given    record;
  v_saved    jsonb := '[]';
begin
  select e.n - 1 as n, tasker.check_checkpoint(e.value -> 'checkpoint') as message into v_invalid
  from jsonb_array_elements(p_checkpoints) with ordinality as e(value, n)
  where tasker.check_checkpoint(e.value -> 'checkpoint') is not null order by e.n limit 1;
  if found then
    return jsonb_build_object(
      'outcome', 'invalid', 'index', v_invalid.n, 'message', v_invalid.message);
  end if;
  perform from tasker.workers w
  where w.worker_uuid = p_worker_uuid
    and w.server_uuid is null
    and w.owner is not distinct from p_owner
  for no key update;
  if not found then
    return '{"outcome": "unknown_worker"}';
  end if;
  for v_given in
    select r.step_uuid, r.handoff, r.checkpoint
    from jsonb_to_recordset(p_checkpoints) as r(step_uuid uuid, handoff int, checkpoint jsonb)
    join tasker.worker_claims c on c.worker_uuid = p_worker_uuid
      and c.workflow_step_uuid = r.step_uuid
      and c.handoff = r.handoff
    order by r.step_uuid
  loop
    if tasker.save_checkpoint(v_given.step_uuid, v_given.handoff, v_given.checkpoint) then
      v_saved := v_saved || jsonb_build_object(
        'step_uuid', v_given.step_uuid, 'handoff', v_given.handoff);
    end if;
  end loop;
  perform tasker.renew_leases(v_saved, p_lease_seconds, v_now);
  -- The worker has the step, so the answer to its claim was not lost.
  update tasker.worker_claims c set acknowledged_at = v_now
  from jsonb_to_recordset(v_saved) as r(step_uuid uuid)
  where c.worker_uuid = p_worker_uuid
    and c.workflow_step_uuid = r.step_uuid
    and c.acknowledged_at is null;
  return jsonb_build_object(
    'outcome', 'saved',
    'verdicts', (select coalesce(jsonb_agg(jsonb_build_object(
                                             'step_uuid', e.value -> 'step_uuid',
                                             'handoff', e.value -> 'handoff',
                                             'verdict', case when s.step_uuid is null then 'stale'
                                                             else 'saved' end) order by e.n),
                                 '[]')
                 from jsonb_array_elements(p_checkpoints) with ordinality as e(value, n)
                 left join jsonb_to_recordset(v_saved) as s(step_uuid uuid, handoff int)
                   on s.step_uuid = (e.value ->> 'step_uuid')::uuid
                     and s.handoff = (e.value ->> 'handoff')::int),
    'cancels', tasker.get_cancel_requests(v_saved, v_now));
end
$$;
comment on function tasker.save_worker_checkpoints(uuid, text, jsonb, int, timestamptz) is
  'Saves checkpoints of steps that an external worker runs, and renews the leases of these steps: '
  'their handlers go on.';
