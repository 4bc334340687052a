-- The actions that the state of a task allows now, by the rules of act_on_task, fork_task and
-- store_signal: of cancel, compensate, fail, fork, resolve, retry and signal those that would be
-- done; fork and signal for some step, or some signal, of the task. Whether a caller has the
-- permission is another question. retry_from_step depends on the step that it names, and is not
-- among them.
-- Locks: none; the task may move before the action. Source: ADR 0058.
create or replace function tasker.get_allowed_actions(p_task tasker.tasks)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_task.erased_at is not null then
    return '[]';
  end if;
  -- By the same rules nothing else is left of it.
  if p_task.state in ('complete', 'cancelled', 'resolved_manually') then
    return case when tasker.judge_fork(p_task.task_uuid) is null then '["fork"]' else '[]' end;
  end if;
  return (
    select coalesce(jsonb_agg(a.action order by a.action), '[]')
    from unnest('{cancel,compensate,fail,fork,resolve,retry,signal}'::text[]) a(action)
    where case
        when a.action = 'retry' then
          (select r.o_reply is null from tasker.judge_restart(p_task, 'retry', null, null, '{}') r)
        when a.action = 'fork' then tasker.judge_fork(p_task.task_uuid) is null
        when a.action = 'signal' then
          tasker.judge_signal(p_task, null,
                              exists (select from tasker.named_tasks_named_steps n
                                      where n.named_task_uuid = p_task.named_task_uuid
                                        and n.wait_for ->> 'kind' = 'signal'),
                              null,
                              (select coalesce(max(g.number), 0)
                               from tasker.task_signals g
                               where g.task_uuid = p_task.task_uuid)) is null
        -- A second request for a cancel is told that there is one.
        when a.action = 'cancel' and p_task.cancel_requested_at is not null then false
        else tasker.judge_end_of_task(p_task, a.action) is null end);
end
$$;
comment on function tasker.get_allowed_actions(tasker.tasks) is
  'The actions that the state of a task allows now, by the rules of act_on_task, fork_task and '
  'store_signal.';
