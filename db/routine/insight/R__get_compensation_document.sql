-- The compensation of a task as its document shows it: cause, state, times, who asked and why, how
-- many compensating steps were planned and are complete (the undo of a batch counts once), and the
-- names of the first 100 steps whose effect is not known, because they ran, are not complete and
-- are not undone. Null for a task without.
-- It names neither results nor inputs, so every caller that may read the task may read it. Locks:
-- none. Source: ADR 0046.
create or replace function tasker.get_compensation_document(p_task_uuid uuid)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'cause', c.cause, 'state', c.state, 'asked_at', c.asked_at, 'began_at', c.began_at,
           'ended_at', c.ended_at, 'asked_by', c.asked_by, 'reason', c.reason,
           'planned_steps', c.planned_steps,
           'completed_steps', (select count(*)
                               from tasker.workflow_steps s
                               where s.task_uuid = c.task_uuid
                                 and s.step_position <= 1000000
                                 and s.compensates_step_uuid is not null
                                 and s.state = 'complete'),
           'unknown_steps', (
             select coalesce(jsonb_agg(x.name order by x.step_position), '[]')
             from (select coalesce(s.name, ns.name) as name, s.step_position
                   from (select o.*
                         from tasker.workflow_steps o
                         where o.task_uuid = c.task_uuid and o.step_position <= 1000000
                         union all
                         select w.*
                         from tasker.batches b
                         join tasker.workflow_steps w on w.task_uuid = b.task_uuid
                           and w.step_position between b.first_position and b.first_position
                             + b.created_workers - 1
                         where b.task_uuid = c.task_uuid and b.done_workers < b.created_workers) s
                   join tasker.tasks t on t.task_uuid = s.task_uuid
                   join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
                   join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
                   join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
                   join tasker.named_tasks_named_steps k on k.named_task_uuid = t.named_task_uuid
                     and k.step_position = nt.total_steps + n.step_position
                     and k.step_type = 'compensation'
                   where s.attempts > 0
                     and not tasker.step_ended_well(s.state)
                     and not k.undoes_attempts
                   order by s.step_position limit 100) x))
  from tasker.task_compensations c
  where c.task_uuid = p_task_uuid
$$;
comment on function tasker.get_compensation_document(uuid) is
  'The compensation of a task as its document shows it; null for a task without.';
