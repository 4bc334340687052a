-- Sends a signal to tasks, in the caller's transaction: stores it in the mailbox of each, and ends the wait of the step that
-- waits for it. A signal that no step waits for yet is kept until one does, or until the task ends.
-- p_name: one that a step of the task's template waits for. p_payload: any JSON up to 64 KiB. p_signal_id: the sender's id for it,
-- up to 128 characters; a task takes each id of a name once. p_payload_checked declares that the caller has validated the payload
-- against the schema of the signal; without it a signal with a schema is refused.
-- Returns {signals: [{task_uuid, outcome, signal_uuid?, number?, is_consumed?, code?, field?, message?}] in the order of
-- p_task_uuids, queued, ended}; outcome is accepted; duplicate (the same id and payload; nothing happens); or refused,
-- with the code invalid-request, payload-too-large, payload-not-checked, task-not-found, signal-not-known, task-already-ended,
-- task-is-being-cancelled, signal-id-taken (the same id with another payload) or too-many-signals (10 000 in a task).
-- Locks: the tasks by uuid until the caller's transaction ends; then as evaluate_tasks. Source: design section 14, ADR 0038.
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
as $$
declare
  v_now      timestamptz;
  v_refusal  jsonb;
  v_task     record;
  v_known    record;
  v_answer   jsonb;
  v_answers  jsonb := '{}';
  v_new      uuid[] := '{}';
  v_keys     uuid[] := '{}';
  v_result   jsonb := '{"queued": [], "ended": []}';
begin
  v_refusal := case
    when coalesce(cardinality(p_task_uuids), 0) = 0 or array_position(p_task_uuids, null) is not null then tasker.refuse_unknown('task', null)
    when coalesce(btrim(p_name), '') = '' or length(p_name) > 64 then jsonb_build_object('code', 'invalid-request', 'field', 'name', 'message', 'must have 1 to 64 characters')
    when p_payload is null then jsonb_build_object('code', 'invalid-request', 'field', 'payload', 'message', 'must be JSON; a signal without a payload has null in JSON')
    when btrim(p_signal_id) = '' or length(p_signal_id) > 128 then jsonb_build_object('code', 'invalid-request', 'field', 'signal_id', 'message', 'must have 1 to 128 characters')
    when octet_length(p_payload::text) > 65536 then jsonb_build_object('code', 'payload-too-large', 'field', 'payload', 'message',
      format('must have at most 65536 bytes, but has %s; keep large data elsewhere and send its address', octet_length(p_payload::text)))
  end;
  if v_refusal is not null then
    return v_result || jsonb_build_object('signals', (
      select coalesce(jsonb_agg(jsonb_build_object('task_uuid', u, 'outcome', 'refused') || v_refusal), jsonb_build_array(jsonb_build_object('outcome', 'refused') || v_refusal))
      from unnest(p_task_uuids) u));
  end if;
  perform tasker.lock_tasks(p_task_uuids);
  v_now := coalesce(p_now, clock_timestamp());

  for v_task in
    select u.task_uuid, t.task_uuid is not null as is_there, t.state, t.completed_at, t.cancel_requested_at, t.cancel_requested_by, k.names, k.is_known, k.has_schema,
           (select coalesce(max(g.number), 0) from tasker.task_signals g where g.task_uuid = t.task_uuid) as signals
    from (select distinct u as task_uuid from unnest(p_task_uuids) u) u
    left join tasker.tasks t on t.task_uuid = u.task_uuid
    left join lateral (
      select string_agg(distinct n.wait_for ->> 'name', ', ') as names, bool_or(n.wait_for ->> 'name' = p_name) as is_known,
             bool_or(n.wait_for ->> 'name' = p_name and n.wait_for ? 'schema') as has_schema
      from tasker.named_tasks_named_steps n where n.named_task_uuid = t.named_task_uuid and n.wait_for ->> 'kind' = 'signal') k on true
    order by u.task_uuid
  loop
    v_answer := null;
    if not v_task.is_there then
      v_answer := tasker.refuse_unknown('task', v_task.task_uuid::text);
    elsif not coalesce(v_task.is_known, false) then
      v_answer := jsonb_build_object('code', 'signal-not-known', 'field', 'name', 'message',
        format('no step of the task waits for a signal %s%s', p_name, coalesce('; known are ' || v_task.names, '')));
    else
      if p_signal_id is not null then
        select g.signal_uuid, g.number, g.payload, g.wait_uuid is not null as is_consumed into v_known
        from tasker.task_signals g where g.task_uuid = v_task.task_uuid and g.name = p_name and g.signal_id = p_signal_id;
        -- Before everything else: the answer to a repeated request is that of the first, also when the task has ended meanwhile.
        if found then
          v_answer := case when v_known.payload = p_payload
            then jsonb_build_object('outcome', 'duplicate', 'signal_uuid', v_known.signal_uuid, 'number', v_known.number, 'is_consumed', v_known.is_consumed)
            else jsonb_build_object('code', 'signal-id-taken', 'field', 'signal_id', 'message',
              format('signal %s of the task with this id is there already, with another payload', p_name)) end;
        end if;
      end if;
      v_answer := coalesce(v_answer, case
        when v_task.completed_at is not null then jsonb_build_object('code', 'task-already-ended', 'message', format('the task has already ended as %s', v_task.state))
        when v_task.cancel_requested_at is not null then jsonb_build_object('code', 'task-is-being-cancelled',
          'message', format('%s has asked for the task to be cancelled', coalesce(v_task.cancel_requested_by, 'an operator')))
        when v_task.has_schema and not coalesce(p_payload_checked, false) then jsonb_build_object('code', 'payload-not-checked', 'field', 'payload', 'message',
          'the signal has a schema: send it over REST, where a server validates it, or validate it and set p_payload_checked')
        when v_task.signals >= 10000 then jsonb_build_object('code', 'too-many-signals', 'message', 'the task has received 10000 signals, the most that it takes') end);
    end if;
    if v_answer is null then
      insert into tasker.task_signals as g (task_uuid, name, number, signal_id, sent_at, sent_by, payload)
      values (v_task.task_uuid, p_name, v_task.signals + 1, p_signal_id, v_now, coalesce(tasker.get_caller(), left(p_sent_by, 160)), p_payload)
      returning g.signal_uuid into v_known;
      v_new := v_new || v_task.task_uuid;
      v_answer := jsonb_build_object('outcome', 'accepted', 'signal_uuid', v_known.signal_uuid, 'number', v_task.signals + 1);
    elsif not v_answer ? 'outcome' then
      v_answer := v_answer || '{"outcome": "refused"}';
    end if;
    v_answers := v_answers || jsonb_build_object(v_task.task_uuid::text, v_answer);
  end loop;

  -- Only where a step waits for it: the others find it when they begin to wait.
  v_keys := array(select distinct w.task_uuid from tasker.step_waits w
                  where w.task_uuid = any (v_new) and w.state = 'open' and w.signal_name = p_name order by w.task_uuid);
  if v_keys <> '{}' then
    v_result := tasker.evaluate_tasks(v_keys, p_server_uuid, 0, 60, v_now) - 'claimed_steps';
  end if;
  return v_result || jsonb_build_object(
    'signals', (select jsonb_agg(jsonb_build_object('task_uuid', u.task_uuid) || (v_answers -> u.task_uuid::text)
                  || case when v_answers -> u.task_uuid::text ->> 'outcome' = 'accepted'
                       then (select jsonb_build_object('is_consumed', g.wait_uuid is not null) from tasker.task_signals g
                             where g.signal_uuid = (v_answers -> u.task_uuid::text ->> 'signal_uuid')::uuid) else '{}' end order by u.n)
                from unnest(p_task_uuids) with ordinality as u(task_uuid, n)));
end
$$;
comment on function tasker.send_signals(uuid[], text, jsonb, text, text, boolean, uuid, timestamptz) is
  'Sends a signal to tasks, in the caller''s transaction: stores it, and ends the wait of the step that waits for it.';
