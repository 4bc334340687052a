-- The error of a step whose child task is blocked, in error, cancelled or gone: with the errors of
-- the first ten steps of the child that failed.
-- p_child: null when it is gone. p_is_undo: the child is the compensation of another one.
-- Locks: none. Source: ADR 0043.
create or replace function tasker.describe_child_failure(
  p_wait tasker.step_waits, p_child tasker.tasks, p_is_undo boolean)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'type', case when p_is_undo then 'child_not_compensated'
                 when p_child.state = 'cancelled' then 'child_cancelled'
                 else 'child_failed' end,
    'message', case when p_is_undo then format(
                      'task %s, which compensates child task %s, is %s', p_wait.child_task_uuid,
                      p_child.compensates_task_uuid, coalesce(p_child.state::text, 'gone'))
                    else format('child task %s is %s', p_wait.child_task_uuid,
                                coalesce(p_child.state::text, 'gone')) end,
    'details', jsonb_strip_nulls(
      jsonb_build_object(
        'child_task_uuid', p_wait.child_task_uuid, 'state', p_child.state,
        'attempt', p_wait.attempt,
        'failed_steps', (
          select jsonb_object_agg(f.name, f.error)
          from (select coalesce(s.name, n.name) as name,
                       jsonb_build_object('type', r.error -> 'type',
                                          'message', left(r.error ->> 'message', 1000)) as error
                from tasker.workflow_steps s
                join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
                join tasker.workflow_step_result_audit r
                  on r.workflow_step_uuid = s.workflow_step_uuid
                    and r.sort_key = s.result_sort_key
                where s.task_uuid = p_wait.child_task_uuid and s.state = 'error'
                order by s.step_position limit 10) f))));
end
$$;
comment on function tasker.describe_child_failure(tasker.step_waits, tasker.tasks, boolean) is
  'The error of a step whose child task is blocked, in error, cancelled or gone.';
