-- submit_tasks for requests from the queue, whose sender gets no reply: a request for which the
-- database raises an error does not hold up the others. Retries a set that fails in halves, down to
-- the request that causes the error; its verdict is failed, with the sqlstate and the message.
-- Raises transient errors (lost connections, deadlocks, locks, lack of resources, a cancelled
-- statement) to the caller, who retries.
-- p_requests: as submit_tasks; their contexts are checked. Returns as submit_tasks.
-- Locks: as submit_tasks. The halves of a failed set are processed one after the other and not in
-- the order of all hashes: two such callers may deadlock, and one of them retries. One savepoint
-- per set, so a single one when all succeed.
create or replace function tasker.submit_queued_requests(
  p_requests jsonb, p_server_uuid uuid, p_claim_limit int default 0, p_lease_seconds int default 60,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_state  text;
  v_cause  text;
  v_half   int := jsonb_array_length(p_requests) / 2;
  v_first  jsonb;
  v_second jsonb;
begin
  begin
    return tasker.submit_tasks(
      p_requests, p_server_uuid, p_claim_limit, p_lease_seconds, true, true, p_now);
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_cause = message_text;
    if tasker.is_transient_error(v_state) then
      raise;
    end if;
  end;

  if v_half = 0 then
    if p_claim_limit > 0 then
      -- It may be what the claim would return; by the queue that is the claim's own matter.
      return tasker.submit_queued_requests(p_requests, p_server_uuid, 0, p_lease_seconds, p_now);
    end if;
    return jsonb_build_object(
      'claimed_steps', '[]'::jsonb, 'queued', '[]'::jsonb,
      'verdicts', jsonb_build_array(
        jsonb_build_object('verdict', 'failed', 'sqlstate', v_state, 'message', v_cause)));
  end if;
  v_first := tasker.submit_queued_requests(
    (select jsonb_agg(r.value order by r.ordinality)
     from jsonb_array_elements(p_requests) with ordinality r
     where r.ordinality <= v_half),
    p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  v_second := tasker.submit_queued_requests(
    (select jsonb_agg(r.value order by r.ordinality)
     from jsonb_array_elements(p_requests) with ordinality r
     where r.ordinality > v_half),
    p_server_uuid, greatest(p_claim_limit - jsonb_array_length(v_first -> 'claimed_steps'), 0),
    p_lease_seconds, p_now);
  return tasker.merge_replies(v_first, v_second);
end
$$;
comment on function tasker.submit_queued_requests(jsonb, uuid, int, int, timestamptz) is
  'submit_tasks for requests that came by the queue: one that raises an error does not hold back '
  'the others.';
