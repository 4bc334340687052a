-- The rows of a linear task of four steps, by as few statements as write them, with nothing read, judged or returned that the engine has to: what a call with one task, or one
-- result, costs the database at least. check_history accepts them.
create schema rows_alone;
create function rows_alone.submit(p_template uuid, p_steps uuid[], p_server uuid, out o_task uuid, out o_keys uuid[])
language plpgsql
set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  o_task := tasker.uuid_v7();
  o_keys := array[tasker.uuid_v7(), tasker.uuid_v7(), tasker.uuid_v7(), tasker.uuid_v7()];
  insert into tasker.tasks
    (task_uuid, named_task_uuid, correlation_id, created_at, requested_at, claim_order, state, transition_count, total_steps, unfinished_steps, in_flight_steps, is_keyed)
  values (o_task, p_template, o_task, v_now, v_now, 1, 'steps_in_process', 4, 4, 4, 1, false);
  insert into tasker.task_contexts (task_uuid, context) values (o_task, '{"number": 6}');
  insert into tasker.workflow_steps
    (workflow_step_uuid, task_uuid, named_step_uuid, created_at, state, step_position, transition_count, total_parents, remaining_parents, handoffs, attempts,
     max_attempts, retryable, enqueued_at, last_attempted_at, lease_expires_at, leased_by)
  values
    (o_keys[1], o_task, p_steps[1], v_now, 'in_progress', 1, 3, 0, 0, 1, 1, 3, true, v_now, v_now, v_now + interval '10 minutes', p_server),
    (o_keys[2], o_task, p_steps[2], v_now, 'pending', 2, 1, 1, 1, 0, 0, 3, true, null, null, null, null),
    (o_keys[3], o_task, p_steps[3], v_now, 'pending', 3, 1, 1, 1, 0, 0, 3, true, null, null, null, null),
    (o_keys[4], o_task, p_steps[4], v_now, 'pending', 4, 1, 1, 1, 0, 0, 3, true, null, null, null, null);
  insert into tasker.task_wakeups (task_uuid, wake_at) values (o_task, v_now + interval '30 seconds');
  insert into tasker.step_moves
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt, processor_uuid)
  values (o_keys[1], 3, o_task, null, 'in_progress', 'worker', 'created_and_claimed', 1, 1, p_server);
  insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid, born_steps)
  values (o_task, 4, null, 'steps_in_process', 'orchestrator', 'created_and_started', p_server, o_keys[2:]);
end
$$;
-- p_child: the step after it, which is claimed for the caller; null for the last, which ends the task.
create function rows_alone.complete(p_task uuid, p_step uuid, p_child uuid, p_server uuid)
returns void
language plpgsql
set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  insert into tasker.workflow_step_result_audit
    (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, execution_time_ms, handoff, attempt, outcome, result, may_publish)
  values (p_step, 4, p_task, p_server, v_now, 0, 1, 1, 'success', '{}', false);
  if p_child is not null then
    update tasker.workflow_steps s
    set state = case when s.workflow_step_uuid = p_step then 'complete' else 'in_progress' end::tasker.step_state,
        transition_count = s.transition_count + 2,
        result_sort_key = case when s.workflow_step_uuid = p_step then 4 end,
        completed_at = case when s.workflow_step_uuid = p_step then v_now end,
        lease_expires_at = case when s.workflow_step_uuid <> p_step then v_now + interval '10 minutes' end,
        handoffs = 1, attempts = 1, remaining_parents = 0, leased_by = p_server,
        enqueued_at = coalesce(s.enqueued_at, v_now), last_attempted_at = coalesce(s.last_attempted_at, v_now)
    where s.workflow_step_uuid = any (array[p_step, p_child]);
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt, processor_uuid)
    values
      (p_step, 5, p_task, 'in_progress', 'complete', 'orchestrator', 'completed_at_once', 1, 1, p_server),
      (p_child, 3, p_task, 'pending', 'in_progress', 'worker', 'claimed_at_once', 1, 1, p_server);
    update tasker.tasks t set unfinished_steps = t.unfinished_steps - 1 where t.task_uuid = p_task;
  else
    update tasker.workflow_steps s
    set state = 'complete', transition_count = s.transition_count + 2, result_sort_key = 4, completed_at = v_now, lease_expires_at = null
    where s.workflow_step_uuid = p_step;
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt, processor_uuid)
    values (p_step, 5, p_task, 'in_progress', 'complete', 'orchestrator', 'completed_at_once', 1, 1, p_server);
    update tasker.tasks t
    set unfinished_steps = 0, in_flight_steps = 0, state = 'complete', completed_at = v_now, transition_count = t.transition_count + 2
    where t.task_uuid = p_task;
    insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid)
    values (p_task, 6, 'steps_in_process', 'complete', 'orchestrator', 'evaluated', p_server);
    delete from tasker.task_wakeups w where w.task_uuid = p_task;
  end if;
end
$$;
-- The same for any number of tasks, and for the steps of one position of any number of tasks, in statements that write all rows of a kind.
-- p_children: null for the last position.
create function rows_alone.submit_many(p_template uuid, p_steps uuid[], p_server uuid, p_tasks int, out o_tasks uuid[], out o_keys uuid[])
language plpgsql
set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  o_tasks := array(select tasker.uuid_v7() from generate_series(1, p_tasks));
  o_keys := array(select tasker.uuid_v7() from generate_series(1, 4 * p_tasks));
  insert into tasker.tasks
    (task_uuid, named_task_uuid, correlation_id, created_at, requested_at, claim_order, state, transition_count, total_steps, unfinished_steps, in_flight_steps, is_keyed)
  select o_tasks[n], p_template, o_tasks[n], v_now, v_now, 1, 'steps_in_process', 4, 4, 4, 1, false from generate_series(1, p_tasks) n;
  insert into tasker.task_contexts (task_uuid, context) select t, '{"number": 6}' from unnest(o_tasks) t;
  insert into tasker.workflow_steps
    (workflow_step_uuid, task_uuid, named_step_uuid, created_at, state, step_position, transition_count, total_parents, remaining_parents, handoffs, attempts,
     max_attempts, retryable, enqueued_at, last_attempted_at, lease_expires_at, leased_by)
  select o_keys[4 * n - 4 + m.position], o_tasks[n], p_steps[m.position], v_now, m.state, m.position, m.transitions, m.parents, m.parents, m.handoffs, m.handoffs, 3, true,
         case when m.handoffs = 1 then v_now end, case when m.handoffs = 1 then v_now end, case when m.handoffs = 1 then v_now + interval '10 minutes' end,
         case when m.handoffs = 1 then p_server end
  from generate_series(1, p_tasks) n
  cross join (values (1, 'in_progress'::tasker.step_state, 3, 0, 1), (2, 'pending', 1, 1, 0), (3, 'pending', 1, 1, 0), (4, 'pending', 1, 1, 0)) as m(position, state, transitions, parents, handoffs);
  insert into tasker.task_wakeups (task_uuid, wake_at) select t, v_now + interval '30 seconds' from unnest(o_tasks) t;
  insert into tasker.step_moves
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt, processor_uuid)
  select o_keys[4 * n - 3], 3, o_tasks[n], null, 'in_progress', 'worker', 'created_and_claimed', 1, 1, p_server
  from generate_series(1, p_tasks) n;
  insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid, born_steps)
  select o_tasks[n], 4, null, 'steps_in_process', 'orchestrator', 'created_and_started', p_server, o_keys[4 * n - 2 : 4 * n]
  from generate_series(1, p_tasks) n;
end
$$;
create function rows_alone.complete_many(p_tasks uuid[], p_steps uuid[], p_children uuid[], p_server uuid)
returns void
language plpgsql
set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  insert into tasker.workflow_step_result_audit
    (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, execution_time_ms, handoff, attempt, outcome, result, may_publish)
  select r.step, 4, r.task, p_server, v_now, 0, 1, 1, 'success', '{}', false from unnest(p_tasks, p_steps) as r(task, step);
  -- A step in progress ends, a pending one is a child.
  update tasker.workflow_steps s
  set state = case s.state when 'in_progress' then 'complete' else 'in_progress' end::tasker.step_state,
      transition_count = s.transition_count + 2,
      result_sort_key = case s.state when 'in_progress' then 4 end,
      completed_at = case s.state when 'in_progress' then v_now end,
      lease_expires_at = case s.state when 'pending' then v_now + interval '10 minutes' end,
      handoffs = 1, attempts = 1, remaining_parents = 0, leased_by = p_server,
      enqueued_at = coalesce(s.enqueued_at, v_now), last_attempted_at = coalesce(s.last_attempted_at, v_now)
  where s.workflow_step_uuid = any (p_steps || p_children);
  insert into tasker.step_moves
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt, processor_uuid)
  select case when m.is_child then r.child else r.step end, m.sort_key, r.task, m.from_state, m.to_state, m.actor, m.path, 1, 1, p_server
  from unnest(p_tasks, p_steps, p_children) as r(task, step, child)
  cross join (values (false, 5, 'in_progress'::tasker.step_state, 'complete'::tasker.step_state, 'orchestrator'::tasker.actor, 'completed_at_once'::tasker.step_path_name),
                     (true, 3, 'pending', 'in_progress', 'worker', 'claimed_at_once')) as m(is_child, sort_key, from_state, to_state, actor, path)
  where not m.is_child or r.child is not null;
  if p_children is not null then
    update tasker.tasks t set unfinished_steps = t.unfinished_steps - 1 where t.task_uuid = any (p_tasks);
  else
    update tasker.tasks t
    set unfinished_steps = 0, in_flight_steps = 0, state = 'complete', completed_at = v_now, transition_count = t.transition_count + 2
    where t.task_uuid = any (p_tasks);
    insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid)
    select t, 6, 'steps_in_process', 'complete', 'orchestrator', 'evaluated', p_server from unnest(p_tasks) t;
    delete from tasker.task_wakeups w where w.task_uuid = any (p_tasks);
  end if;
end
$$;
