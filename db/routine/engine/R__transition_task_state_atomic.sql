-- Moves a task from one state to another if it is still in the first: compare-and-set, history and
-- wake-up in one statement. False when there is no such task or it is in another state: a lost
-- race, and an ordinary outcome. p_metadata goes into the history; its key "actor" names who moves
-- the task (default orchestrator). p_processor_uuid is only recorded.
-- Locks: the task. Errors: TK005 when the rules or the task's own steps do not allow the move,
-- TK007 for an unknown state or actor.
create or replace function tasker.transition_task_state_atomic(
  p_task_uuid      uuid,
  p_from_state     varchar,
  p_to_state       varchar,
  p_processor_uuid uuid,
  p_metadata       jsonb default '{}')
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_actor    text := coalesce(p_metadata ->> 'actor', 'orchestrator');
  v_now      timestamptz := clock_timestamp();
  v_unknown  text;
  v_to       tasker.task_state;
  v_complaint text;
  v_moved    boolean;
begin
  select string_agg(coalesce(w.word, 'null'), ', ') into v_unknown
  from (values (p_from_state::text, enum_range(null::tasker.task_state)::text[]),
               (p_to_state, enum_range(null::tasker.task_state)::text[]),
               (v_actor, enum_range(null::tasker.actor)::text[])) as w(word, known)
  where w.word is null or not w.word = any (w.known);
  if v_unknown is not null then
    raise exception 'not a task state or an actor: %', v_unknown using errcode = 'TK007';
  end if;
  if not exists (select from tasker.task_transition_rules r
                 where r.from_state::text = p_from_state
                   and r.to_state::text = p_to_state
                   and r.actor::text = v_actor) then
    raise exception 'a task may not move from % to % by %', p_from_state, p_to_state, v_actor
      using errcode = 'TK005';
  end if;
  v_to := p_to_state::tasker.task_state;

  with moved as (
    update tasker.tasks t
    set state = v_to, transition_count = t.transition_count + 1,
        completed_at = case when tasker.is_terminal(v_to) then v_now end
    where t.task_uuid = p_task_uuid
      and t.state = p_from_state::tasker.task_state
      and (v_to <> 'cancelled' or t.cancel_requested_at is not null)
      and (v_to <> 'blocked_by_failures' or (t.failed_steps > 0 and t.in_flight_steps = 0))
      and (v_to <> 'waiting_for_retry' or (t.retrying_steps > 0 and t.in_flight_steps = 0))
      and (v_to <> 'complete' or t.unfinished_steps = 0)
      and (not tasker.is_terminal(v_to) or t.in_flight_steps = 0)
      and (tasker.is_terminal(v_to) or t.replaced_by_task_uuid is null)
      and t.erased_at is null
    returning t.task_uuid, t.transition_count),
  history as (
    insert into tasker.task_moves
      (task_uuid, sort_key, from_state, to_state, actor, processor_uuid, metadata)
    select m.task_uuid, m.transition_count, p_from_state::tasker.task_state, v_to,
           v_actor::tasker.actor, p_processor_uuid, nullif(p_metadata - 'actor', '{}')
    from moved m),
  -- There is a wake-up exactly while the task can move by itself.
  asleep as (
    delete from tasker.task_wakeups w
    using moved m
    where w.task_uuid = m.task_uuid
      and v_to in ('complete', 'error', 'cancelled', 'resolved_manually', 'blocked_by_failures')),
  woken as (
    insert into tasker.task_wakeups as w (task_uuid, wake_at)
    select m.task_uuid,
           case v_to when 'waiting_for_retry' then coalesce(
                  (select min(s.next_retry_at) from tasker.get_open_steps(m.task_uuid) s), v_now)
                else v_now + interval '30 seconds' end
    from moved m
    where v_to not in ('complete', 'error', 'cancelled', 'resolved_manually',
                       'blocked_by_failures')
    on conflict (task_uuid) do update set wake_at = least(w.wake_at, excluded.wake_at))
  select exists (select from moved) into v_moved;
  if not v_moved then
    select case
             when v_to = 'cancelled' and t.cancel_requested_at is null then
               'it has no cancel request (request_cancel)'
             when v_to = 'blocked_by_failures' then
               'none of its steps has failed, or some are in flight'
             when v_to = 'waiting_for_retry' then
               'none of its steps waits for a retry, or some are in flight'
             when tasker.is_terminal(v_to) and t.in_flight_steps > 0 then
               'some of its steps are in flight'
             when v_to = 'complete' and t.unfinished_steps > 0 then
               'some of its steps are not complete'
             when not tasker.is_terminal(v_to) and t.replaced_by_task_uuid is not null then
               'another task has taken over its identity'
             when t.erased_at is not null then 'its documents were erased' end into v_complaint
    from tasker.tasks t
    where t.task_uuid = p_task_uuid and t.state = p_from_state::tasker.task_state;
    if v_complaint is not null then
      raise exception 'task % cannot be %: %', p_task_uuid, p_to_state, v_complaint
        using errcode = 'TK005';
    end if;
  end if;
  if v_moved and tasker.is_terminal(v_to) then
    perform tasker.cancel_waits(array[p_task_uuid], null, v_now);
  end if;
  if v_moved and v_to = 'blocked_by_failures' then
    perform tasker.create_dlq_entries(array[p_task_uuid], v_now);
  end if;
  return v_moved;
end
$$;
comment on function tasker.transition_task_state_atomic(uuid, varchar, varchar, uuid, jsonb) is
  'Moves a task from one state to another if it is still in the first: compare-and-set, history '
  'and wake-up in one statement.';
