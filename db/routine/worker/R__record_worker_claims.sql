-- Records the steps that an external worker has just claimed, from their documents
-- (get_claimed_steps), for the request whose answer has them. Returns how many there are.
-- Locks: the rows. Called with the worker's row held.
create or replace function tasker.record_worker_claims(
  p_worker_uuid uuid, p_claimed_steps json, p_request_id text, p_now timestamptz)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_recorded int;
begin
  insert into tasker.worker_claims as c
    (worker_uuid, workflow_step_uuid, task_uuid, handoff, request_id, claimed_at)
  select p_worker_uuid, r.step_uuid, r.task_uuid, r.handoff, p_request_id, p_now
  from json_to_recordset(p_claimed_steps) as r(step_uuid uuid, task_uuid uuid, handoff int)
  -- A row of a former handoff, which is over.
  on conflict (worker_uuid, workflow_step_uuid) do update
    set handoff = excluded.handoff, request_id = excluded.request_id,
        claimed_at = excluded.claimed_at, acknowledged_at = null;
  get diagnostics v_recorded = row_count;
  return v_recorded;
end
$$;
comment on function tasker.record_worker_claims(uuid, json, text, timestamptz) is
  'Records the steps that an external worker has just claimed.';
