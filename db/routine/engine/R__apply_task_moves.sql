-- The writer of moves of tasks: state, history and wake-up in one statement. roll_up_task_states
-- and complete_step, which count at the same time, write for themselves, as does a birth; see
-- WritersTest.
-- p_moves: each task once. A task moves only while its state is still from_state; others are left
-- out. There is a wake-up exactly while a task can move by itself: one that ends or is blocked
-- loses it, one that is reopened gets one at p_now.
-- Returns the tasks that moved. Errors: TK005 when the rules do not allow a move; nothing moves
-- then.
-- Locks: the tasks, which the caller holds, and their wake-ups. Source: ADR 0072.
create or replace function tasker.apply_task_moves(
  p_moves tasker.task_change[], p_server_uuid uuid, p_now timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_move  record;
  v_moved uuid[];
begin
  select g.from_state, g.to_state, g.actor into v_move
  from unnest(p_moves) g
  left join tasker.task_transition_rules r on r.from_state = g.from_state
    and r.to_state = g.to_state
    and r.actor = g.actor
  where r.to_state is null
  limit 1;
  if found then
    raise exception 'a task may not move from % to % by %', v_move.from_state, v_move.to_state,
      v_move.actor
      using errcode = 'TK005';
  end if;
  with moved as (
    update tasker.tasks t
    set state = g.to_state,
        transition_count = t.transition_count + 1,
        completed_at = case when tasker.is_terminal(g.to_state) then p_now end
    from unnest(p_moves) g
    where t.task_uuid = g.task_uuid and t.state = g.from_state
    returning t.task_uuid, t.transition_count, g.from_state, g.to_state, g.actor, g.metadata),
  history as (
    insert into tasker.task_moves
      (task_uuid, sort_key, from_state, to_state, actor, processor_uuid, metadata)
    select m.task_uuid, m.transition_count, m.from_state, m.to_state, m.actor, p_server_uuid,
           m.metadata
    from moved m),
  asleep as (
    delete from tasker.task_wakeups w
    using moved m
    where w.task_uuid = m.task_uuid
      and (tasker.is_terminal(m.to_state) or m.to_state = 'blocked_by_failures')),
  woken as (
    insert into tasker.task_wakeups (task_uuid, wake_at)
    select m.task_uuid, p_now
    from moved m
    where tasker.is_terminal(m.from_state) and not tasker.is_terminal(m.to_state)
    on conflict (task_uuid) do nothing)
  select coalesce(array_agg(m.task_uuid), '{}') into v_moved from moved m;
  return v_moved;
end
$$;
comment on function tasker.apply_task_moves(tasker.task_change[], uuid, timestamptz) is
  'The writer of moves of tasks: compares, moves, writes history, and keeps the wake-ups.';
