-- Results of several external workers in one transaction: requests that reached a server at about
-- the same time share a call and a commit. Each request is answered as submit_worker_results does,
-- with its own verdicts and next claims, and none is hurt by another: what the database refuses of
-- one is rolled back to before that request.
-- p_requests: array of {worker_uuid, owner, results, claims}: the arguments of
-- submit_worker_results. Of the requests of one worker the earlier one counts first.
-- Returns an array in the order of p_requests: the replies of submit_worker_results, or {outcome:
-- refused}, of which nothing has changed: the caller submits that request alone, and gets the
-- error.
-- Locks: the tasks of all results by uuid, then the workers' rows by uuid, then as
-- submit_worker_results. The tasks and workers come first, so that two calls never wait for each
-- other. Source: ADR 0060.
create or replace function tasker.submit_results_of_workers(
  p_requests jsonb, p_lease_seconds int default 60, p_settle boolean default true,
  p_now timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_request record;
  v_reply   json;
  v_replies json[] := '{}';
begin
  perform tasker.lock_tasks(
    array(select c.task_uuid
          from jsonb_to_recordset(p_requests) as q(worker_uuid uuid, results jsonb)
          cross join lateral jsonb_to_recordset(q.results) as r(step_uuid uuid, handoff int)
          join tasker.worker_claims c on c.worker_uuid = q.worker_uuid
            and c.workflow_step_uuid = r.step_uuid
            and c.handoff = r.handoff));
  perform from tasker.workers w
  where w.worker_uuid
      = any (array(select q.worker_uuid from jsonb_to_recordset(p_requests) as q(worker_uuid uuid)))
  order by w.worker_uuid for no key update;
  for v_request in
    select q.*
    from rows
    from (jsonb_to_recordset(p_requests)
          as (worker_uuid uuid, owner text, results jsonb,
              claims jsonb)) with ordinality as q(worker_uuid, owner, results, claims, n)
    order by q.n
  loop
    begin
      v_reply := tasker.submit_worker_results(
        v_request.worker_uuid, v_request.owner, v_request.results, v_request.claims,
        p_lease_seconds, p_settle, p_now);
    exception when data_exception or integrity_constraint_violation or program_limit_exceeded
      or internal_error or sqlstate 'TK007' then
      v_reply := '{"outcome": "refused"}';
    end;
    v_replies := v_replies || v_reply;
  end loop;
  return to_json(v_replies);
end
$$;
comment on function tasker.submit_results_of_workers(jsonb, int, boolean, timestamptz) is
  'Submits the results of several external workers in one transaction; an error of one does not '
  'affect the others.';
