-- The actions that the state of a task allows now, by the rules of act_on_task: of cancel, compensate, fail, resolve and retry those that would be done. Whether a caller has
-- the permission is another question. retry_from_step and forks depend on the step that they name, and are not among them.
-- Locks: none; the task may move before the action. Source: ADR 0058.
create or replace function tasker.get_allowed_actions(p_task tasker.tasks)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(a.action order by a.action), '[]')
    from unnest('{cancel,compensate,fail,resolve,retry}'::text[]) a(action)
    where case
      when a.action = 'retry' then (select r.o_reply is null from tasker.judge_restart(p_task, 'retry', null, null, '{}') r)
      -- A second request for a cancel is told that there is one.
      when a.action = 'cancel' and p_task.cancel_requested_at is not null then false
      else tasker.judge_end_of_task(p_task, a.action) is null end);
end
$$;
comment on function tasker.get_allowed_actions(tasker.tasks) is 'The actions that the state of a task allows now, by the rules of act_on_task.';
