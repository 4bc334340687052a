-- Ends what an external worker's claims leave behind, as its heartbeat finds them. Releases claims
-- that no heartbeat has named within half a lease: their answer was lost, and no attempt is used.
-- Fails steps that have run for longer than their template allows, with 5 s for the way to the
-- worker and back, as handler_timeout, which is retried.
-- p_steps: array of {step_uuid, handoff} that the worker runs. p_settle: see complete_steps.
-- Returns {queued, ended}, empty when there is nothing to end, which is decided without a lock.
-- Locks: tasks by uuid, then as complete_steps and release_steps.
create or replace function tasker.end_worker_claims(
  p_worker_uuid uuid, p_steps jsonb, p_lease_seconds int, p_settle boolean, p_now timestamptz)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reply   jsonb := '{"queued": [], "ended": []}';
  v_lost    jsonb;
  v_overdue jsonb;
  v_part    jsonb;
begin
  select jsonb_agg(h.step) filter (where not h.is_overdue),
         jsonb_agg(h.step || jsonb_build_object(
                     'outcome', 'retryable_failure',
                     'error', jsonb_build_object(
                       'type', 'handler_timeout',
                       'message', format('the worker did not finish within %s seconds',
                                         h.timeout_seconds)))) filter (where h.is_overdue)
    into v_lost, v_overdue
  from (select jsonb_build_object('step_uuid', c.workflow_step_uuid, 'task_uuid', c.task_uuid,
                                  'handoff', c.handoff) as step,
               n.timeout_seconds,
               coalesce(c.claimed_at + (n.timeout_seconds + 5) * interval '1 second' <= p_now,
                        false) as is_overdue
        from tasker.worker_claims c
        join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
          and s.state = 'in_progress'
          and s.handoffs = c.handoff
        join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
        where c.worker_uuid = p_worker_uuid
          and (c.claimed_at + (n.timeout_seconds + 5) * interval '1 second' <= p_now
               or c.acknowledged_at is null
                 and c.claimed_at <= p_now - p_lease_seconds * interval '1 second' / 2
                 and not exists (
                   select from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
                   where r.step_uuid = c.workflow_step_uuid and r.handoff = c.handoff))) h;
  if v_lost is null and v_overdue is null then
    return v_reply;
  end if;
  perform tasker.lock_tasks(
    array(select r.task_uuid
          from jsonb_to_recordset(
            coalesce(v_lost, '[]') || coalesce(v_overdue, '[]')) as r(task_uuid uuid)));
  if v_overdue is not null then
    v_part := tasker.complete_steps(
      v_overdue, p_worker_uuid, 0, null, p_lease_seconds, p_settle, false, p_now)::jsonb;
    v_reply := tasker.merge_replies(
      v_reply, jsonb_build_object('queued', v_part -> 'queued', 'ended', v_part -> 'ended'));
  end if;
  if v_lost is not null then
    v_part := tasker.release_steps(v_lost, p_worker_uuid, p_now, 'claim_not_acknowledged');
    v_reply := tasker.merge_replies(
      v_reply, jsonb_build_object('queued', v_part -> 'queued', 'ended', v_part -> 'ended'));
  end if;
  return v_reply;
end
$$;
comment on function tasker.end_worker_claims(uuid, jsonb, int, boolean, timestamptz) is
  'Releases claims of an external worker whose answer was lost, and fails its steps that have '
  'run too long.';
