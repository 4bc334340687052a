-- Puts a signal into the mailbox of one task. The caller has checked it (check_signal), and gives
-- it to the step that waits for it.
-- Returns {outcome: accepted | duplicate | refused, signal_uuid?, number?, is_consumed?, code?,
-- field?, message?}, as send_signals explains.
-- p_sent_at: when the sender sent it, which decides about time-outs.
-- Locks: none but the new row; the caller holds the task. Source: ADR 0038.
create or replace function tasker.store_signal(
  p_task_uuid uuid, p_name text, p_payload jsonb, p_signal_id text, p_sent_by text,
  p_payload_checked boolean, p_sent_at timestamptz)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_task   record;
  v_known  record;
  v_answer jsonb;
begin
  select t as task, k.names, k.is_known, k.has_schema, k.sealed,
         (select coalesce(max(g.number), 0)
          from tasker.task_signals g
          where g.task_uuid = t.task_uuid) as signals into v_task
  from tasker.tasks t
  left join lateral (
    select string_agg(distinct n.wait_for ->> 'name', ', ') as names,
           bool_or(n.wait_for ->> 'name' = p_name) as is_known,
           bool_or(n.wait_for ->> 'name' = p_name and n.wait_for ? 'schema') as has_schema,
           jsonb_path_query_first(
             jsonb_agg(n.sealed) filter (where n.wait_for ->> 'name' = p_name), '$[0]') as sealed
    from tasker.named_tasks_named_steps n
    where n.named_task_uuid = t.named_task_uuid and n.wait_for ->> 'kind' = 'signal') k on true
  where t.task_uuid = p_task_uuid;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text) || '{"outcome": "refused"}';
  end if;
  if p_signal_id is not null then
    select g.signal_uuid, g.number, g.payload, g.wait_uuid is not null as is_consumed into v_known
    from tasker.task_signals g
    where g.task_uuid = p_task_uuid and g.name = p_name and g.signal_id = p_signal_id;
    -- Before everything else: the answer to a repeated request is that of the first, also when the
    -- task has ended meanwhile.
    if found then
      v_answer := case
        when tasker.mask_sealed(v_known.payload) = tasker.mask_sealed(p_payload) then
          jsonb_build_object('outcome', 'duplicate', 'signal_uuid', v_known.signal_uuid,
                             'number', v_known.number, 'is_consumed', v_known.is_consumed)
        else jsonb_build_object(
          'outcome', 'refused', 'code', 'signal-id-taken', 'field', 'signal_id',
          'message', format(
            'signal %s of the task with this id is there already, with another payload',
            p_name)) end;
      return v_answer;
    end if;
  end if;
  v_answer := coalesce(
    tasker.judge_signal(v_task.task, p_name, v_task.is_known, v_task.names, v_task.signals),
    case when v_task.has_schema and not p_payload_checked then jsonb_build_object(
           'code', 'payload-not-checked', 'field', 'payload',
           'message', 'the signal has a schema: send it over REST, where a server '
                      'validates it, or validate it and set p_payload_checked') end,
    tasker.refuse_unsealed(p_payload, nullif(v_task.sealed, 'null'), 'payload'));
  if v_answer is not null then
    return v_answer || '{"outcome": "refused"}';
  end if;
  insert into tasker.task_signals as g
    (task_uuid, name, number, signal_id, sent_at, sent_by, payload)
  values (p_task_uuid, p_name, v_task.signals + 1, p_signal_id, p_sent_at, p_sent_by, p_payload)
  returning g.signal_uuid into v_known;
  return jsonb_build_object(
    'outcome', 'accepted', 'signal_uuid', v_known.signal_uuid, 'number', v_task.signals + 1);
end
$$;
comment on function tasker.store_signal(uuid, text, jsonb, text, text, boolean, timestamptz) is
  'Puts a signal into the mailbox of one task.';
