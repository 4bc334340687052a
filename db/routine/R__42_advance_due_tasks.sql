-- One round of the safety net: takes up to p_limit due tasks that no other session is at, gives expired leases and lost
-- messages back, and evaluates them. Finishes every task on its own, if need be.
-- Returns as evaluate_tasks, with the number of tasks looked at as "tasks" and the milliseconds to the next wake-up of any task.
-- Locks: as get_next_ready_tasks and evaluate_tasks. Source: design decision 14. Called by the poller.
create or replace function tasker.advance_due_tasks(
  p_server_uuid   uuid,
  p_limit         int         default 100,
  p_claim_limit   int         default 0,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_tasks  uuid[];
  v_result jsonb := '{"assignments": [], "queued": [], "ended": []}';
begin
  select array_agg(t.task_uuid order by t.task_uuid) into v_tasks from tasker.get_next_ready_tasks(p_limit, p_now) t;
  if v_tasks is not null then
    perform tasker.recover_expired_steps(v_tasks, p_server_uuid, p_now);
    perform tasker.resend_lost_messages(v_tasks, p_now);
    v_result := tasker.evaluate_tasks(v_tasks, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  end if;
  return v_result || jsonb_build_object(
    'tasks', coalesce(cardinality(v_tasks), 0),
    'next_wake_in_ms', (select ceil(extract(epoch from min(w.wake_at) - coalesce(p_now, clock_timestamp())) * 1000)
                        from tasker.task_wakeups w));
end
$$;
comment on function tasker.advance_due_tasks(uuid, int, int, int, timestamptz) is
  'One round of the safety net: takes due tasks, gives expired leases and lost messages back, and evaluates them.';
