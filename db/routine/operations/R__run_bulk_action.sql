-- Runs the action that preview_bulk_action counted, in one transaction, if the set of tasks is unchanged. The token carries
-- the action, the operator and the reason; it works once, and a second call returns the outcome of the first.
-- p_run_by: the caller over REST; a token of another caller counts as unknown. Null, in SQL: any token works.
-- Returns {outcome, count, results: {done, already, refused}, refusals: [{task_uuid, code, message}], queued}: outcome done, already, or refused with the code
-- token-expired, set-has-changed or, when there is no such token, token-not-found.
-- Locks: the token, then the tasks by uuid. Source: ADR 0015.
create or replace function tasker.run_bulk_action(
  p_token uuid, p_server_uuid uuid default null, p_now timestamptz default null, p_run_by text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_bulk    tasker.bulk_actions;
  v_tasks   uuid[];
  v_task    uuid;
  v_reply   jsonb;
  v_counts  jsonb := '{"done": 0, "already": 0, "refused": 0}';
  v_queued  jsonb := '[]';
  v_refused jsonb := '[]';
begin
  select b.* into v_bulk from tasker.bulk_actions b where b.token = p_token for update;
  if not found or (p_run_by is not null and v_bulk.made_by is distinct from p_run_by) then
    return tasker.refuse_unknown('token', p_token::text);
  end if;
  if v_bulk.executed_at is not null then
    return v_bulk.result || jsonb_build_object('outcome', 'already');
  end if;
  if v_now > v_bulk.expires_at then
    return jsonb_build_object('outcome', 'refused', 'code', 'token-expired', 'message', 'the token has run out; count again');
  end if;
  v_tasks := tasker.find_tasks_for_action(v_bulk.action, v_bulk.filter, v_bulk.task_count + 1);
  perform tasker.lock_tasks(v_tasks);
  -- Compared under the locks, so that the set stays the same until the commit.
  if tasker.hash_tasks(v_tasks) <> v_bulk.set_hash then
    return jsonb_build_object('outcome', 'refused', 'code', 'set-has-changed', 'message', 'the tasks have changed since they were counted; count again');
  end if;
  foreach v_task in array coalesce(v_tasks, '{}') loop
    v_reply := tasker.act_on_task(v_task, v_bulk.action, v_bulk.acted_by, v_bulk.reason, '{}', p_server_uuid, p_now, p_token);
    v_counts := jsonb_set(v_counts, array[v_reply ->> 'outcome'], to_jsonb((v_counts ->> (v_reply ->> 'outcome'))::int + 1));
    if v_reply ->> 'outcome' = 'refused' then
      v_refused := v_refused || jsonb_build_object('task_uuid', v_task, 'code', v_reply -> 'code', 'message', v_reply -> 'message');
    end if;
    v_queued := v_queued || coalesce(v_reply -> 'queued', '[]');
  end loop;
  v_reply := jsonb_build_object('outcome', 'done', 'action', v_bulk.action, 'count', v_bulk.task_count, 'results', v_counts, 'refusals', v_refused,
                                'queued', (select coalesce(jsonb_agg(distinct q), '[]') from jsonb_array_elements(v_queued) q));
  update tasker.bulk_actions b set executed_at = v_now, result = v_reply where b.token = p_token;
  return v_reply;
end
$$;
comment on function tasker.run_bulk_action(uuid, uuid, timestamptz, text) is
  'Runs the action that preview_bulk_action counted, in one transaction, if the set of tasks is unchanged.';
