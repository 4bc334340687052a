-- Queues a signal for tasks in the caller's transaction: inserts a row for each and locks nothing,
-- so that a long transaction stops no task. After the commit a server puts it into the mailbox of
-- the task (deliver_signals). Rolled back with the transaction, it never was. Parameters as those
-- of send_signals. sent_at is the time of this call, which decides about the time-out of a wait
-- also when it is delivered later.
-- Returns {signals: [{task_uuid, outcome, code?, field?, message?}]} in the order of p_task_uuids;
-- outcome is queued, or refused for what can be known now, with a code of send_signals. What is
-- refused at the delivery, such as a signal for a task that has ended meanwhile, stays in
-- queued_signals with its reason.
-- Locks: none but the new rows. Source: ADR 0057.
create or replace function tasker.queue_signals(
  p_task_uuids uuid[], p_name text, p_payload jsonb default 'null', p_signal_id text default null,
  p_sent_by text default null,
  p_payload_checked boolean default false)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_wrong   jsonb := tasker.check_signal(p_name, p_payload, p_signal_id);
  v_answers jsonb;
begin
  with judged as (
    select u.n, u.task_uuid,
           coalesce(v_wrong,
                    case
                      when t.task_uuid is null then tasker.refuse_unknown('task', u.task_uuid::text)
                      when k.has_schema is null then jsonb_build_object(
                        'code', 'signal-not-known', 'field', 'name',
                        'message', format('no step of the task waits for a signal %s', p_name))
                      -- A repeated one is a duplicate also after the end.
                      when t.completed_at is not null
                        and not exists (select from tasker.task_signals g
                                        where g.task_uuid = t.task_uuid
                                          and g.name = p_name
                                          and g.signal_id = p_signal_id) then jsonb_build_object(
                        'code', 'task-already-ended',
                        'message', format('the task has already ended as %s', t.state))
                      when k.has_schema and not coalesce(p_payload_checked, false) then
                        jsonb_build_object(
                          'code', 'payload-not-checked', 'field', 'payload',
                          'message', 'the signal has a schema: validate the '
                                     'payload and set p_payload_checked') end,
                    tasker.refuse_unsealed(p_payload, nullif(k.sealed, 'null'), 'payload')
                      - 'outcome') as refusal
    from unnest(p_task_uuids) with ordinality as u(task_uuid, n)
    left join tasker.tasks t on t.task_uuid = u.task_uuid
    left join lateral (select bool_or(n.wait_for ? 'schema') as has_schema,
                              jsonb_path_query_first(jsonb_agg(n.sealed), '$[0]') as sealed
                       from tasker.named_tasks_named_steps n
                       where n.named_task_uuid = t.named_task_uuid
                         and n.wait_for ->> 'kind' = 'signal'
                         and n.wait_for ->> 'name' = p_name) k on true),
  queued as (
    insert into tasker.queued_signals (task_uuid, name, signal_id, sent_by, payload)
    select j.task_uuid, p_name, p_signal_id, coalesce(tasker.get_caller(), left(p_sent_by, 160)),
           p_payload
    from judged j
    where j.refusal is null)
  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', j.task_uuid,
                                               'outcome', case when j.refusal is null then 'queued'
                                                               else 'refused' end)
                            || coalesce(j.refusal, '{}') order by j.n),
                  '[]') into v_answers
  from judged j;
  return jsonb_build_object('signals', v_answers);
end
$$;
comment on function tasker.queue_signals(uuid[], text, jsonb, text, text, boolean) is
  'Queues a signal for tasks in the caller''s transaction without locking them; a server delivers '
  'it after the commit.';
