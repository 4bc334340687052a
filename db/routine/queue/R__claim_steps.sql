-- Claims up to p_limit offered steps of the given namespaces (null: all) for one worker and returns
-- their documents as a JSON array. Serves the queues by the claim rank of their first message;
-- while several have work, each gets a fair share of the limit. Leaves a claimed step whose
-- document cannot be built until its lease expires, so that the others of its batch can run, and
-- records the cause in dead_messages.
-- Locks: message rows (skip locked), then step rows by uuid. From psql: select
-- tasker.claim_steps(gen_random_uuid(), 10).
create or replace function tasker.claim_steps(
  p_server_uuid   uuid,
  p_limit         int,
  p_namespaces    text[]      default null,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_claimed     uuid[];
  v_step        uuid;
  v_claimed_steps jsonb := '[]';
  v_state       text;
  v_cause       text;
begin
  -- Two statements: in one, the second function would read with a snapshot from before the claim
  -- and miss tasks committed in between, whose steps would then be claimed and never run.
  v_claimed := tasker.claim_queued_steps(
    p_server_uuid, p_limit, p_namespaces, p_lease_seconds, p_now);
  begin
    return tasker.get_claimed_steps(v_claimed);
  exception when data_exception or program_limit_exceeded or internal_error then
    null;
  end;
  foreach v_step in array v_claimed loop
    begin
      v_claimed_steps := v_claimed_steps || tasker.get_claimed_steps(array[v_step])::jsonb;
    exception when data_exception or program_limit_exceeded or internal_error then
      get stacked diagnostics v_state = returned_sqlstate, v_cause = message_text;
      insert into tasker.dead_messages
        (queue_name, read_ct, enqueued_at, sqlstate, cause, message, headers)
      select tasker.worker_queue(ns.name), 1, s.enqueued_at, v_state, v_cause,
             jsonb_build_object('task_uuid', s.task_uuid, 'step_uuid', s.workflow_step_uuid,
                                'handoff', s.handoffs, 'correlation_id', t.correlation_id),
             jsonb_build_object('claim_order', tasker.calculate_claim_rank(
                                  t.claim_order, s.attempts))
      from tasker.workflow_steps s
      join tasker.tasks t on t.task_uuid = s.task_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      where s.workflow_step_uuid = v_step;
    end;
  end loop;
  return v_claimed_steps::json;
end
$$;
comment on function tasker.claim_steps(uuid, int, text[], int, timestamptz) is
  'Claims up to p_limit offered steps of the given namespaces (null: all) for one worker and '
  'returns their documents.';
