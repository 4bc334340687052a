-- The actions that the state of a step and its task allow now, by the rules of act_on_step: of
-- complete_manually, reset_for_retry and resolve_manually. Whether a caller has the permission is
-- another question.
-- Locks: none; the step may move before the action. Source: ADR 0058.
create or replace function tasker.get_allowed_step_actions(
  p_task tasker.tasks, p_step tasker.workflow_steps)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(a.action order by a.action), '[]')
    from unnest('{complete_manually,reset_for_retry,resolve_manually}'::text[]) a(action)
    -- What is asked about the request itself, such as the result, does not matter here.
    where coalesce(tasker.judge_step_action(p_task, p_step, a.action, null, null, '{}') ->> 'code',
                   'invalid-request') = 'invalid-request');
end
$$;
comment on function tasker.get_allowed_step_actions(tasker.tasks, tasker.workflow_steps) is
  'The actions that the state of a step and its task allow now, by the rules of act_on_step.';
