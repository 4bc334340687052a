-- A snapshot of a task and its steps, for a dead letter: one JSON object; null when there is no
-- such task. Of the workers of batches those that have not ended, and of each open batch the first
-- 100 that have failed.
create or replace function tasker.get_task_snapshot(p_task_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select jsonb_build_object(
             'task', to_jsonb(t) - '{identity_hash,former_identity_hash}'::text[],
             'steps', (
               select jsonb_agg(
                        jsonb_build_object(
                          'name', coalesce(s.name, n.name), 'state', s.state,
                          'attempts', s.attempts, 'max_attempts', s.max_attempts,
                          'enqueued_at', s.enqueued_at, 'last_attempted_at', s.last_attempted_at,
                          'next_retry_at', s.next_retry_at, 'lease_expires_at', s.lease_expires_at,
                          'error', r.error) order by s.step_position)
               from (
                 select o.*
                 from tasker.get_open_steps(t.task_uuid) o
                 union all
                 select w.*
                 from tasker.batches b
                 cross join lateral tasker.get_batch_results(
                   b.workflow_step_uuid, 0, 100, 'error') e
                 join tasker.workflow_steps w on w.workflow_step_uuid = e.workflow_step_uuid
                 where b.task_uuid = t.task_uuid and b.failed_workers > 0 and b.closed_at is null) s
               join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
               left join tasker.workflow_step_result_audit r
                 on r.workflow_step_uuid = s.workflow_step_uuid
                   and r.sort_key = s.result_sort_key))
    from tasker.tasks t
    where t.task_uuid = p_task_uuid);
end
$$;
comment on function tasker.get_task_snapshot(uuid) is
  'A snapshot of a task and its steps, for a dead letter.';
