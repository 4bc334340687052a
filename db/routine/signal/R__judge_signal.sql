-- Why a task takes no signal now: the rules of store_signal that do not ask for its payload and its
-- id. p_names: the signals that steps of its template wait for, with commas; p_is_known: whether
-- the signal is one of them; p_signals: how many the task has received. Null when it takes the
-- signal, otherwise code, message and field.
-- Locks: none; store_signal's caller holds the task. Source: ADR 0038, ADR 0058.
create or replace function tasker.judge_signal(
  p_task tasker.tasks, p_name text, p_is_known boolean, p_names text, p_signals int)
returns jsonb
language sql stable
set search_path = ''
as $$
  select case
           when not coalesce(p_is_known, false) then
             jsonb_build_object('code', 'signal-not-known', 'field', 'name',
                                'message', format('no step of the task waits for a signal %s%s',
                                                  p_name, coalesce('; known are ' || p_names, '')))
           when p_task.completed_at is not null then
             jsonb_build_object('code', 'task-already-ended',
                                'message', format('the task has already ended as %s', p_task.state))
           when p_task.cancel_requested_at is not null then jsonb_build_object(
             'code', 'task-is-being-cancelled',
             'message', format('%s has asked for the task to be cancelled',
                               coalesce(p_task.cancel_requested_by, 'an operator')))
           when p_signals >= 10000 then jsonb_build_object(
             'code', 'too-many-signals',
             'message', 'the task has received 10000 signals, the most that it takes') end
$$;
comment on function tasker.judge_signal(tasker.tasks, text, boolean, text, int) is
  'Why a task takes no signal now: the rules of store_signal that do not ask for its payload and '
  'its id.';
