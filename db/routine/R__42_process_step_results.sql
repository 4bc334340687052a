-- The orchestrator's share for servers that have only the worker's role: takes up to p_limit messages off the queue
-- orchestration_step_results and evaluates their tasks, in the same transaction. The messages carry nothing but keys;
-- what happened is read from the rows, so order and repetition of messages do not matter.
-- Returns as evaluate_tasks, with the number of messages as "messages".
-- Locks: messages (skip locked), then as evaluate_tasks. Source: reference section 5.1, attune.md D1 to D5.
-- Called by the orchestrator.
create or replace function tasker.process_step_results(
  p_server_uuid   uuid,
  p_limit         int         default 500,
  p_claim_limit   int         default 0,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_messages bigint[];
  v_tasks    uuid[];
  v_result   jsonb := '{"assignments": [], "queued": [], "ended": []}';
begin
  select array_agg(m.msg_id), array_agg(distinct (m.message ->> 'task_uuid')::uuid)
    into v_messages, v_tasks
  from pgmq.read('orchestration_step_results', 60, p_limit) m;
  if v_messages is not null then
    v_result := tasker.evaluate_tasks(v_tasks, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    perform pgmq.delete('orchestration_step_results', v_messages);
  end if;
  return v_result || jsonb_build_object('messages', coalesce(cardinality(v_messages), 0));
end
$$;
comment on function tasker.process_step_results(uuid, int, int, int, timestamptz) is
  'The orchestrator''s share for servers that have only the worker''s role: evaluates the tasks of handed-back steps.';
