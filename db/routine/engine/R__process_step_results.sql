-- The orchestrator's part for servers that have only the worker's role: takes up to p_limit
-- messages off the queue orchestration_step_results and evaluates their tasks, in the same
-- transaction. The messages carry only keys and the function reads the results from the rows, so
-- order and repetition of messages do not matter.
-- A task whose processing fails keeps its own messages for another delivery; after p_delivery_limit
-- deliveries they are parked in dead_messages. Messages that name no task are parked at once.
-- Returns as evaluate_tasks, with the number of messages as "messages".
-- Locks: messages (skip locked), then as evaluate_tasks.
create or replace function tasker.process_step_results(
  p_server_uuid   uuid,
  p_limit         int         default 500,
  p_claim_limit   int         default 0,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null,
  p_delivery_limit int        default 5)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_read      pgmq.message_record[];
  v_malformed bigint[];
  v_done      bigint[];
  v_dead      bigint[];
  v_tasks     uuid[];
  v_faulty    text[];
  v_result    jsonb := '{"claimed_steps": [], "queued": [], "ended": []}';
begin
  select array_agg(m) into v_read from pgmq.read('orchestration_step_results', 60, p_limit) m;
  if v_read is null then
    return v_result || '{"messages": 0}';
  end if;
  select array_agg(m.msg_id) into v_malformed
  from unnest(v_read) m
  where coalesce(m.message ->> 'task_uuid', '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  select array_agg(t.task_uuid order by t.task_uuid) into v_tasks
  from (select distinct (m.message ->> 'task_uuid')::uuid as task_uuid
        from unnest(v_read) m where v_malformed is null or m.msg_id <> all (v_malformed)) t;

  v_result := tasker.process_tasks(
    v_tasks, p_server_uuid, p_claim_limit, p_lease_seconds, null, null, p_delivery_limit, p_now);
  v_faulty := array(select jsonb_array_elements_text(v_result -> 'faulty'));
  -- A task that is permanently parked waits for no delivery.
  select array_agg(m.msg_id) filter (where not m.is_faulty),
         array_agg(m.msg_id) filter (where m.is_faulty and m.read_ct >= p_delivery_limit)
    into v_done, v_dead
  from (select u.msg_id, u.read_ct,
               coalesce(lower(u.message ->> 'task_uuid') = any (v_faulty), false) as is_faulty
        from unnest(v_read) u
        where v_malformed is null or u.msg_id <> all (v_malformed)) m;

  if v_malformed is not null then
    perform tasker.park_messages('orchestration_step_results', v_malformed, null, 'names no task');
  end if;
  if v_dead is not null then
    perform tasker.park_messages(
      'orchestration_step_results', v_dead, null,
      'its task could not be processed, see task_faults and the history of its steps');
  end if;
  perform pgmq.delete('orchestration_step_results', coalesce(v_done, '{}'));
  return (v_result - 'faulty') || jsonb_build_object('messages', cardinality(v_read));
end
$$;
comment on function tasker.process_step_results(uuid, int, int, int, timestamptz, int) is
  'Evaluates the tasks of steps whose results came from servers that have only the role worker.';
