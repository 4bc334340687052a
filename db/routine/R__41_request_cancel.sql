-- Asks for a task to be cancelled and does at once what the orchestrator may do: steps that are not handed off and offers
-- that nobody has accepted become cancelled, nothing new starts. Running steps finish (allow_finish) or are asked to
-- stop (cancel_running); the task is cancelled when nothing is in flight any more. Idempotent.
-- Returns {outcome, state}: requested, already_requested, or already_ended for a finished task; null when there is none.
-- Locks: the task, then its steps by uuid. Source: design sections 2 (decision 6) and 3; attune.md C1 to C5, H1, H4.
-- Called by Tasks and by users.
create or replace function tasker.request_cancel(
  p_task_uuid   uuid,
  p_by          text,
  p_reason      text,
  p_policy      text        default 'cancel_running',
  p_server_uuid uuid        default null,
  p_now         timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now    timestamptz;
  v_task   tasker.tasks;
  v_deltas tasker.task_delta[];
begin
  select * into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found then
    return null;
  end if;
  if v_task.completed_at is not null then
    return jsonb_build_object('outcome', 'already_ended', 'state', v_task.state);
  end if;
  if v_task.cancel_requested_at is not null then
    return jsonb_build_object('outcome', 'already_requested', 'state', v_task.state);
  end if;
  -- Under the lock: every handoff of the task is dated before or after it.
  v_now := coalesce(p_now, clock_timestamp());
  update tasker.tasks t
  set cancel_requested_at = v_now, cancel_requested_by = p_by, cancel_reason = p_reason, cancel_policy = p_policy::tasker.cancel_policy
  where t.task_uuid = p_task_uuid;

  with not_running as (
    select s.workflow_step_uuid, s.state as from_state
    from tasker.workflow_steps s
    where s.task_uuid = p_task_uuid and s.state in ('pending', 'waiting_for_retry', 'enqueued')
    order by s.workflow_step_uuid
    for update),
  moved as (
    update tasker.workflow_steps s
    set state = 'cancelled', transition_count = s.transition_count + 1, completed_at = v_now, next_retry_at = null
    from not_running n
    where s.workflow_step_uuid = n.workflow_step_uuid and s.state = n.from_state
    returning s.workflow_step_uuid, s.task_uuid, s.attempts, s.transition_count, n.from_state),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, attempt, processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, m.from_state, 'cancelled', 'orchestrator', m.attempts,
           p_server_uuid, jsonb_strip_nulls(jsonb_build_object('by', p_by, 'reason', p_reason))
    from moved m)
  select array_agg((m.task_uuid, case m.from_state when 'enqueued' then -1 else 0 end, 0, 0,
                    case m.from_state when 'waiting_for_retry' then -1 else 0 end)::tasker.task_delta)
    into v_deltas from moved m;

  perform tasker.conclude_tasks(v_deltas || (p_task_uuid, 0, 0, 0, 0)::tasker.task_delta, p_server_uuid, p_now);
  return jsonb_build_object('outcome', 'requested', 'state', (select t.state from tasker.tasks t where t.task_uuid = p_task_uuid));
end
$$;
comment on function tasker.request_cancel(uuid, text, text, text, uuid, timestamptz) is
  'Asks for a task to be cancelled and does at once what the orchestrator may do.';
