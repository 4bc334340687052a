-- Runs the action that preview_bulk_action counted, in one transaction, if the set of tasks is
-- unchanged. The token carries the action, the operator and the reason; it works once, and a second
-- call returns the outcome of the first. An action in the background is only started:
-- advance_bulk_actions does it in parts, with a verdict on each task.
-- p_run_by: the caller over REST; a token of another caller counts as unknown. Null, in SQL: any
-- token works.
-- Returns {outcome, action, count, results: {done, already, refused}, refusals: [{task_uuid, code,
-- message}], queued}: outcome done, started, already, or refused with the code token-expired,
-- set-has-changed or, when there is no such token, token-not-found.
-- A task that another transaction holds for more than five seconds is refused, and the others are
-- acted on.
-- Locks: the token, then the tasks by uuid. Source: ADR 0015, ADR 0058.
create or replace function tasker.run_bulk_action(
  p_token uuid, p_server_uuid uuid default null, p_now timestamptz default null,
  p_run_by text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_bulk    tasker.bulk_actions;
  v_tasks   uuid[];
  v_free    uuid[];
  v_queued  jsonb;
begin
  select b.* into v_bulk from tasker.bulk_actions b where b.token = p_token for update;
  if not found or (p_run_by is not null and v_bulk.made_by is distinct from p_run_by) then
    return tasker.refuse_unknown('token', p_token::text);
  end if;
  if v_bulk.executed_at is not null then
    return v_bulk.result || jsonb_build_object('outcome', 'already');
  end if;
  if v_bulk.started_at is not null then
    return tasker.get_bulk_action_result(v_bulk, 'already');
  end if;
  if v_now > v_bulk.expires_at then
    return jsonb_build_object('outcome', 'refused', 'code', 'token-expired',
                              'message', 'the token has run out; count again');
  end if;
  if v_bulk.is_background then
    update tasker.bulk_actions b set started_at = v_now, run_as = tasker.get_caller()
    where b.token = p_token;
    return tasker.get_bulk_action_result(v_bulk, 'started');
  end if;
  v_tasks := tasker.find_tasks_for_action(v_bulk.action, v_bulk.filter, v_bulk.task_count + 1);
  v_free := tasker.try_lock_tasks(v_tasks);
  -- Compared under the locks, so that the set stays the same until the commit.
  if tasker.hash_tasks(v_tasks) <> v_bulk.set_hash then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'set-has-changed',
      'message', 'the tasks have changed since they were counted; count again');
  end if;
  update tasker.bulk_actions b set started_at = v_now, run_as = tasker.get_caller()
  where b.token = p_token;
  select a.o_queued into v_queued
  from tasker.act_on_tasks_of_bulk(v_bulk, v_tasks, v_tasks, false, p_server_uuid, p_now, v_free) a;
  update tasker.bulk_actions b
  set executed_at = v_now,
      result = tasker.get_bulk_action_result(b, 'done') || jsonb_build_object('queued', v_queued)
  where b.token = p_token
  returning b.* into v_bulk;
  return v_bulk.result;
end
$$;
comment on function tasker.run_bulk_action(uuid, uuid, timestamptz, text) is
  'Runs the action that preview_bulk_action counted, in one transaction, if the set of tasks is '
  'unchanged, or starts it in the background.';
