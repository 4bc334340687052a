-- Releases steps that were claimed for a server and never reached it, because the reply of the
-- claim was lost after its
-- commit: steps that were claimed for it more than p_older_than_ms ago, are still in progress and
-- are not in p_known. Reads the steps of every task that can move, so call it after a failed call
-- and not with every heartbeat.
-- p_known: array of {step_uuid, handoff}. Returns as evaluate_tasks, with the number of steps as
-- "released".
-- Locks: as release_steps. Source: ADR 0011.
create or replace function tasker.release_unknown_steps(
  p_server_uuid uuid, p_known jsonb, p_older_than_ms int, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_unknown jsonb;
begin
  select jsonb_agg(jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid,
                                      'handoff', s.handoffs)) into v_unknown
  from tasker.task_wakeups w
  cross join lateral tasker.get_open_steps(w.task_uuid) s
  where s.state = 'in_progress'
    and s.leased_by in (p_server_uuid)
    and s.last_attempted_at
      < coalesce(p_now, clock_timestamp()) - p_older_than_ms * interval '1 millisecond'
    and not exists (select from jsonb_to_recordset(p_known) as k(step_uuid uuid, handoff int)
                    where k.step_uuid = s.workflow_step_uuid and k.handoff = s.handoffs);
  return coalesce(tasker.release_steps(v_unknown, p_server_uuid, p_now),
                  '{"claimed_steps": [], "queued": [], "ended": []}')
    || jsonb_build_object('released', coalesce(jsonb_array_length(v_unknown), 0));
end
$$;
comment on function tasker.release_unknown_steps(uuid, jsonb, int, timestamptz) is
  'Releases steps that were claimed for a server and never reached it.';
