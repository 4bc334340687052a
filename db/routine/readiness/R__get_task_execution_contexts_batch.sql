-- A summary of the steps of some tasks, and the recommended action; one row per task that exists.
-- execution_status, first match: all_complete, blocked_by_failures, has_ready_steps, processing,
-- waiting_for_retry, waiting_for_dependencies. failed_steps are those in error, except for workers
-- of batches, of which the batch step fails. recommended_action is none once the task is finished.
-- A cancelled or closed task keeps its numbers; health_status shows it.
create or replace function tasker.get_task_execution_contexts_batch(
  input_task_uuids uuid[], p_now timestamptz default null)
returns table (task_uuid uuid, named_task_uuid uuid, status text, total_steps bigint,
               pending_steps bigint, in_progress_steps bigint,
               completed_steps bigint, failed_steps bigint, ready_steps bigint,
               execution_status text, recommended_action text,
               completion_percentage numeric, health_status text, enqueued_steps bigint)
language sql stable parallel safe
as $$
  with counted as (
    select t.task_uuid, t.named_task_uuid, t.state, t.completed_at,
           count(s.workflow_step_uuid) + coalesce(max(b.ended), 0) as total,
           count(*) filter (where s.state = 'pending') as pending,
           count(*) filter (where s.state = 'in_progress') as in_progress,
           count(
             *) filter (where tasker.step_is_in_flight(s.state)
                        and s.state <> 'in_progress') as enqueued,
           count(*) filter (where tasker.step_ended_well(s.state))
             + coalesce(max(b.done), 0) as completed,
           count(*) filter (where s.state = 'error') as failed,
           coalesce(max(b.failed), 0) as tolerated,
           count(*) filter (where s.state = 'waiting_for_retry') as retrying,
           count(
             *) filter (where s.remaining_parents = 0
                        and (s.state = 'pending'
                             or (s.state = 'waiting_for_retry'
                                 and s.next_retry_at <= coalesce(p_now, clock_timestamp())))
                        and tasker.accepts_handoffs(t)
                        and not tasker.waits_for_slot(s)
                        and not tasker.has_open_wait(s, p_now)
                        and s.batch_step_uuid is null
                        and not exists (select from tasker.batches b
                                        where b.workflow_step_uuid = s.workflow_step_uuid)) as ready
    from tasker.tasks t
    left join lateral tasker.get_open_steps(t.task_uuid) s on true
    -- Workers that have ended are counted already.
    left join lateral (select sum(u.done_workers) as done, sum(u.failed_workers) as failed,
                              sum(u.done_workers + u.failed_workers + u.cancelled_workers) as ended
                       from tasker.batches u
                       where u.task_uuid = t.task_uuid) b on true
    where t.task_uuid = any (input_task_uuids)
    group by t.task_uuid),
  judged as (
    select c.*,
           case
             when c.completed + c.tolerated = c.total then 'all_complete'
             when c.failed > 0 then 'blocked_by_failures'
             when c.ready > 0 then 'has_ready_steps'
             when c.in_progress + c.enqueued > 0 then 'processing'
             when c.retrying > 0 then 'waiting_for_retry'
             else 'waiting_for_dependencies' end as execution_status
    from counted c)
  select j.task_uuid, j.named_task_uuid, j.state::text, j.total, j.pending, j.in_progress,
         j.completed, j.failed, j.ready, j.execution_status,
         case when j.completed_at is not null then 'none'
              else case j.execution_status
                when 'all_complete' then 'finalize_task'
                when 'blocked_by_failures' then 'handle_failures'
                when 'has_ready_steps' then 'execute_ready_steps'
                when 'processing' then 'wait_for_completion'
                when 'waiting_for_retry' then 'wait_for_retry'
                else 'wait_for_dependencies' end end,
         round(100.0 * (j.completed + j.tolerated) / greatest(j.total, 1), 2),
         case
           when j.state in ('cancelled', 'error', 'resolved_manually') then 'closed'
           when j.execution_status = 'blocked_by_failures' then 'blocked'
           when j.retrying > 0 then 'recovering'
           else 'healthy' end,
         j.enqueued
  from judged j
$$;
comment on function tasker.get_task_execution_contexts_batch(uuid[], timestamptz) is
  'A summary of the steps of some tasks, and the recommended action; one row per task that exists.';
