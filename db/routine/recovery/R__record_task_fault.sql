-- Records that the processing of a task raised an error and postpones its next try, by 30 seconds
-- at first and ten minutes at most. After p_fault_limit errors in a row the task is parked:
-- submitted steps that cannot be settled move to error, with the cause, so that the task becomes
-- blocked_by_failures like after any other failure. When none of them causes the error the task
-- gets a dead letter and one try per hour. What the database gave up (is_too_expensive) is not
-- tried step by step, which would take as long again; such a task gets a dead letter and one try a
-- day.
-- Returns {ended: [{task_uuid, state}]}. Locks: the task, then its steps.
create or replace function tasker.record_task_fault(
  p_task_uuid uuid, p_sqlstate text, p_cause text, p_server_uuid uuid, p_fault_limit int,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_faults  int;
  v_step    uuid;
  v_settled boolean;
  v_blamed  uuid[] := '{}';
  v_moves   tasker.step_move[];
  v_ended   jsonb := '[]';
begin
  perform tasker.lock_tasks(array[p_task_uuid]);
  if not exists (select from tasker.tasks t where t.task_uuid = p_task_uuid) then
    return jsonb_build_object('ended', '[]'::jsonb);
  end if;
  insert into tasker.task_faults as f (task_uuid, faults, first_at, last_at, sqlstate, cause)
  values (p_task_uuid, 1, v_now, v_now, p_sqlstate, p_cause)
  on conflict (task_uuid) do update
    set faults = f.faults + 1, last_at = v_now, sqlstate = excluded.sqlstate, cause = excluded.cause
  returning faults into v_faults;
  update tasker.task_wakeups w
  set wake_at
      = v_now + case when v_faults >= p_fault_limit
                          and tasker.is_too_expensive(p_sqlstate) then interval '24 hours'
                     when v_faults >= p_fault_limit then interval '1 hour'
                     else least(30 * 2 ^ least(v_faults - 1, 10), 600) * interval '1 second' end
  where w.task_uuid = p_task_uuid;
  if v_faults < p_fault_limit then
    return jsonb_build_object('ended', '[]'::jsonb);
  end if;

  -- Each is settled in a savepoint: a step that raises causes the error; the savepoint of any other
  -- is rolled back too.
  for v_step in
    select s.workflow_step_uuid from tasker.get_open_steps(p_task_uuid) s
    where tasker.step_awaits_settlement(s.state)
      and not tasker.is_too_expensive(p_sqlstate)
    order by s.workflow_step_uuid
  loop
    v_settled := false;
    begin
      perform tasker.settle_steps(array[v_step], p_server_uuid, v_now);
      v_settled := true;
      raise exception 'settled on trial';
    exception
      when transaction_rollback
          or insufficient_resources
          or object_not_in_prerequisite_state
          or operator_intervention then raise;
      when others then null;
    end;
    v_blamed := v_blamed || case when not v_settled then array[v_step] else '{}' end;
  end loop;

  if v_blamed <> '{}' then
    with blamed as (
      select s.workflow_step_uuid, s.handoffs, s.state
      from tasker.workflow_steps s
      where s.workflow_step_uuid = any (v_blamed) for update)
    select array_agg((b.workflow_step_uuid, b.handoffs, b.state, 'error', 'orchestrator',
                      jsonb_build_object('reason', 'cannot_be_processed', 'sqlstate', p_sqlstate,
                                         'cause', p_cause, 'faults', v_faults),
                      null, null, null, null, null)::tasker.step_move) into v_moves
    from blamed b;
    perform tasker.apply_step_moves(v_moves, p_server_uuid, v_now, true);
    perform tasker.recount_batches(array[p_task_uuid]);
    begin
      v_ended := tasker.evaluate_tasks(array[p_task_uuid], p_server_uuid, 0, 60, p_now) -> 'ended';
      delete from tasker.task_faults f where f.task_uuid = p_task_uuid;
      return jsonb_build_object('ended', v_ended);
    exception
      when transaction_rollback
          or insufficient_resources
          or object_not_in_prerequisite_state
          or operator_intervention then raise;
      when others then null;
    end;
  end if;

  update tasker.task_faults f set parked_at = coalesce(f.parked_at, v_now)
  where f.task_uuid = p_task_uuid;
  insert into tasker.tasks_dlq
    (task_uuid, original_state, dlq_reason, dlq_timestamp, task_snapshot, metadata)
  select t.task_uuid, t.state, 'permanent_failure', v_now,
         jsonb_build_object('task', to_jsonb(t) - '{identity_hash,former_identity_hash}'::text[]),
         jsonb_build_object('reason', 'cannot_be_processed', 'sqlstate', p_sqlstate,
                            'cause', p_cause, 'faults', v_faults)
  from tasker.tasks t
  where t.task_uuid = p_task_uuid
  on conflict (task_uuid)
  where resolution_status = 'pending' do nothing;
  return jsonb_build_object('ended', '[]'::jsonb);
end
$$;
comment on function tasker.record_task_fault(uuid, text, text, uuid, int, timestamptz) is
  'Records that the processing of a task raised an error, and parks the task when that happens '
  'too often.';
