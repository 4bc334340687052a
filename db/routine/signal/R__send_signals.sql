-- Sends a signal to tasks, in the caller's transaction: stores it in the mailbox of each, and ends
-- the wait of the step that waits for it. A signal that no step waits for yet is kept until one
-- does, or until the task ends.
-- p_name: one that a step of the task's template waits for. p_payload: any JSON up to 64 KiB.
-- p_signal_id: the sender's id for it, up to 128 characters; a task takes each id of a name once.
-- p_payload_checked declares that the caller has validated the payload against the schema of the
-- signal; without it a signal with a schema is refused.
-- Returns {signals: [{task_uuid, outcome, signal_uuid?, number?, is_consumed?, code?, field?,
-- message?}] in the order of p_task_uuids, queued, ended}; outcome is accepted; duplicate (the same
-- id and payload; nothing happens); or refused, with the code invalid-request, payload-too-large,
-- payload-not-checked, task-not-found, signal-not-known, task-already-ended,
-- task-is-being-cancelled, signal-id-taken (the same id with another payload) or too-many-signals
-- (10 000 in a task). What was queued for the tasks before (queue_signals) with this name comes
-- first.
-- Locks: the tasks by uuid until the caller's transaction ends; then as evaluate_tasks. Source: ADR
-- 0038.
create or replace function tasker.send_signals(
  p_task_uuids      uuid[],
  p_name            text,
  p_payload         jsonb       default 'null',
  p_signal_id       text        default null,
  p_sent_by         text        default null,
  p_payload_checked boolean     default false,
  p_server_uuid     uuid        default null,
  p_now             timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now      timestamptz;
  v_refusal  jsonb;
  v_task     record;
  v_answer   jsonb;
  v_answers  jsonb := '{}';
  v_new      uuid[] := '{}';
  v_keys     uuid[] := '{}';
  v_result   jsonb := '{"queued": [], "ended": []}';
begin
  v_refusal := case
    when coalesce(cardinality(p_task_uuids), 0) = 0
      or array_position(p_task_uuids, null) is not null then tasker.refuse_unknown('task', null)
    else tasker.check_signal(p_name, p_payload, p_signal_id) end;
  if v_refusal is not null then
    return v_result || jsonb_build_object(
      'signals', (
        select coalesce(jsonb_agg(jsonb_build_object('task_uuid', u,
                                                     'outcome', 'refused') || v_refusal),
                        jsonb_build_array(jsonb_build_object('outcome', 'refused') || v_refusal))
        from unnest(p_task_uuids) u));
  end if;
  perform tasker.lock_tasks(p_task_uuids);
  v_now := coalesce(p_now, clock_timestamp());
  v_new := tasker.store_queued_signals(p_task_uuids, v_now, p_name);

  for v_task in
    select distinct u as task_uuid from unnest(p_task_uuids) u order by 1
  loop
    v_answer := tasker.store_signal(v_task.task_uuid, p_name, p_payload, p_signal_id,
                                    coalesce(tasker.get_caller(), left(p_sent_by, 160)),
                                    coalesce(p_payload_checked, false), v_now);
    if v_answer ->> 'outcome' = 'accepted' then
      v_new := v_new || v_task.task_uuid;
    end if;
    v_answers := v_answers || jsonb_build_object(v_task.task_uuid::text, v_answer);
  end loop;

  -- Only where a step waits for it: the others find it when they begin to wait.
  v_keys := array(select distinct w.task_uuid
                  from tasker.step_waits w
                  where w.task_uuid = any (v_new) and w.state = 'open' and w.signal_name = p_name
                  order by w.task_uuid);
  if v_keys <> '{}' then
    v_result := tasker.evaluate_tasks(v_keys, p_server_uuid, 0, 60, v_now) - 'claimed_steps';
  end if;
  return v_result || jsonb_build_object(
    'signals', (select jsonb_agg(
                         jsonb_build_object(
                           'task_uuid', u.task_uuid) || (v_answers -> u.task_uuid::text) || case
                           when v_answers -> u.task_uuid::text ->> 'outcome' = 'accepted' then
                             (select jsonb_build_object('is_consumed', g.wait_uuid is not null)
                              from tasker.task_signals g
                              where g.signal_uuid
                                  = (v_answers -> u.task_uuid::text ->> 'signal_uuid')::uuid)
                           else '{}' end order by u.n)
                from unnest(p_task_uuids) with ordinality as u(task_uuid, n)));
end
$$;
comment on function tasker.send_signals(
  uuid[], text, jsonb, text, text, boolean, uuid, timestamptz) is
  'Sends a signal to tasks, in the caller''s transaction: stores it, and ends the wait of the '
  'step that waits for it.';
