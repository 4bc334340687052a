-- Why a task cannot be forked, regardless of the steps: the rule of fork_task. Null when forks are
-- possible; which steps can be named is another question, and its first step always can. Otherwise
-- field and message of the reply.
-- Locks: none; fork_task holds the task. Source: ADR 0048, ADR 0058.
create or replace function tasker.judge_fork(p_task_uuid uuid)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('field', 'task_uuid',
                            'message', 'the documents of the task were erased')
  from tasker.tasks t
  where t.task_uuid = p_task_uuid and t.erased_at is not null
  union all
  select jsonb_build_object('field', 'task_uuid',
                            'message', 'steps were added to the task while it ran, and it is not '
                                       'known which step added them')
  where exists (select from tasker.workflow_steps s
                where s.task_uuid = p_task_uuid
                  and s.step_position <= 1000000
                  and s.name is not null
                  and s.batch_step_uuid is null)
  limit 1
$$;
comment on function tasker.judge_fork(uuid) is
  'Why a task cannot be forked, regardless of the steps: the rule of fork_task.';
