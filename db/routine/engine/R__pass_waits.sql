-- Arms and ends the waits of steps whose parents are done. A wait is armed once, when the function
-- first sees its step: its due time is resolved then, against the clock of the database, months and
-- days in UTC. It ends by one compare-and-set:
--   satisfied  a timer is due; or a signal of the name, sent no later than due_at, has been
--              received and not consumed: the first in the order of arrival, also one that came
--              before the wait was armed. The time of sending decides and not when the function
--              runs: a signal that was sent in time wins although the wait is overdue;
--   defaulted  no signal came in time, and the template has a default;
--   timed_out  no signal came in time: the step ends in error, wait_timed_out, which is permanent.
-- That of an approval is made when it is armed, and ends as judge_approval says.
-- A step without a handler completes, with the payload, the default, or {due_at, fired_at} as its
-- result. One with a handler is to be handed off; it finds {wait: {...}} in its inputs. After a
-- reset by an operator a step whose wait was satisfied is handed off again without waiting if it
-- has a handler; every other one waits anew.
-- Leaves out steps that are not pending, do not wait, or wait for a child task (pass_child_waits).
-- A timer whose until gives no instant ends its step in error, expression_error.
-- o_ready: the steps to hand off; o_completed: those that completed; o_deltas: what the caller has
-- to roll up; o_next_due_at: when the first of the waits that stay open is due.
-- Locks: the steps, waits, signals and wake-ups; the caller holds the tasks. Source: ADR 0038.
create or replace function tasker.pass_waits(
  p_step_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null,
  out o_ready uuid[], out o_completed uuid[], out o_deltas tasker.task_delta[],
  out o_next_due_at timestamptz)
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_step   record;
  v_wait   tasker.step_waits;
  v_signal record;
  v_due_at timestamptz;
  v_value  jsonb;
  v_error  jsonb;
  v_state  tasker.wait_state;
  v_end    timestamptz;
  v_asked  jsonb;
  v_until  text;
  v_path   text;
  v_judged record;
  v_deltas tasker.task_delta[];
begin
  o_ready := '{}';
  o_completed := '{}';
  o_deltas := '{}';
  for v_step in
    select s.workflow_step_uuid, s.task_uuid, s.handoffs, n.wait_for,
            n.handler_callable is not null as has_handler
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.state = 'pending' and s.is_automatic and n.wait_for ->> 'kind' <> 'child'
    order by u.n
  loop
    v_error := null;
    v_value := null;
    v_state := null;
    select w.* into v_wait from tasker.step_waits w
    where w.task_uuid = v_step.task_uuid and w.workflow_step_uuid = v_step.workflow_step_uuid
    order by w.armed_at desc, w.wait_uuid desc limit 1;
    if v_step.has_handler and v_wait.state in ('satisfied', 'defaulted') then
      o_ready := o_ready || v_step.workflow_step_uuid;
      continue;
    end if;

    if v_wait.state is distinct from 'open' then
      v_due_at := null;
      v_until := case when v_step.wait_for ->> 'due' like '$%' then 'approval.due'
                      else 'wait.until' end;
      v_path := coalesce(v_step.wait_for ->> 'until', v_step.wait_for ->> 'due');
      begin
        if v_step.wait_for ? 'until' or v_path like '$%' then
          v_value := tasker.evaluate_value(
            v_path, tasker.get_expression_document(v_step.task_uuid, v_step.workflow_step_uuid));
          v_due_at := tasker.parse_instant(v_value);
          v_error := case
            when v_due_at is null then jsonb_build_object(
              'type', 'expression_error',
              'message', v_until ||
                ' does not give an instant with a time zone, as 2027-01-31T12:00:00Z')
            when v_due_at > v_now + interval '10 years' then jsonb_build_object(
              'type', 'expression_error',
              'message', v_until || ' gives an instant more than ten years ahead') end;
        else
          v_due_at := v_now
            + coalesce(v_step.wait_for ->> 'for', v_step.wait_for ->> 'timeout', v_path)::interval;
        end if;
        if v_error is null and v_step.wait_for ->> 'kind' = 'approval' then
          v_until := 'approval';
          v_asked := tasker.prepare_approval(
            v_step.wait_for,
            tasker.get_expression_document(v_step.task_uuid, v_step.workflow_step_uuid));
        end if;
      exception when sqlstate 'TK010' then
        get stacked diagnostics v_path = pg_exception_detail;
        perform tasker.charge_expressions(v_step.task_uuid::text, 500000);
        v_error := jsonb_build_object(
          'type', 'expression_error', 'message', format('%s %s', v_until, sqlerrm));
      end;
      if v_error is null then
        insert into tasker.step_waits
          (task_uuid, workflow_step_uuid, kind, armed_at, due_at, signal_name)
        values (v_step.task_uuid, v_step.workflow_step_uuid,
                (v_step.wait_for ->> 'kind')::tasker.wait_kind, v_now, v_due_at,
                v_step.wait_for ->> 'name')
        returning * into v_wait;
        if v_wait.kind = 'approval' then
          perform tasker.make_approval(v_wait, v_step.wait_for, v_asked);
        end if;
      else
        v_error := v_error || jsonb_build_object('details', jsonb_build_object('path', v_path));
        v_state := 'timed_out';
      end if;
    end if;

    if v_error is null then
      -- Never before it was armed, although the clock may have been set back.
      v_end := greatest(v_now, v_wait.armed_at);
      if v_wait.kind = 'timer' then
        if v_wait.due_at <= v_now then
          v_state := 'satisfied';
          v_end := greatest(v_end, v_wait.due_at);
          v_value := jsonb_build_object('due_at', v_wait.due_at, 'fired_at', v_end);
        end if;
      elsif v_wait.kind = 'approval' then
        v_judged := tasker.judge_approval(v_wait, v_step.wait_for, v_now);
        v_state := v_judged.o_state;
        v_value := v_judged.o_value;
        v_error := v_judged.o_error;
        v_wait.due_at := v_judged.o_due_at;
      else
        -- One that has been queued in time is not too late because no server has delivered it.
        if exists (select from tasker.queued_signals q
                   where q.task_uuid = v_step.task_uuid and q.refused_at is null) then
          perform tasker.store_queued_signals(array[v_step.task_uuid], v_now, v_wait.signal_name);
        end if;
        select g.signal_uuid, g.payload into v_signal
        from tasker.task_signals g
        where g.task_uuid = v_step.task_uuid and g.name = v_wait.signal_name and g.wait_uuid is null
          and (v_wait.due_at is null or g.sent_at <= v_wait.due_at)
        order by g.number limit 1;
        if found then
          v_state := 'satisfied';
          v_value := v_signal.payload;
          update tasker.task_signals g set wait_uuid = v_wait.wait_uuid, consumed_at = v_end
          where g.signal_uuid = v_signal.signal_uuid and g.wait_uuid is null;
        elsif v_wait.due_at <= v_now then
          if v_step.wait_for ? 'on_timeout' then
            v_state := 'defaulted';
            v_value := v_step.wait_for -> 'on_timeout';
          else
            v_state := 'timed_out';
            v_error := jsonb_build_object(
              'type', 'wait_timed_out',
              'message', format('no signal %s came by %s', v_wait.signal_name,
                                to_char(v_wait.due_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
              'details', jsonb_build_object('signal', v_wait.signal_name,
                                            'armed_at', v_wait.armed_at, 'due_at', v_wait.due_at));
          end if;
        end if;
      end if;
      if v_state is null then
        o_next_due_at := least(o_next_due_at, v_wait.due_at);
        update tasker.task_wakeups w set wake_at = v_wait.due_at
        where w.task_uuid = v_step.task_uuid and w.wake_at - v_wait.due_at > interval '0';
        continue;
      end if;
      -- As text: otherwise the planner may read the index of all open waits, which it takes for
      -- few.
      update tasker.step_waits w set state = v_state, ended_at = v_end
      where w.wait_uuid = v_wait.wait_uuid and w.state::text = 'open';
      if not found then
        raise exception 'wait % has ended although its step is pending', v_wait.wait_uuid;
      end if;
    end if;

    if v_error is null and v_step.has_handler then
      insert into tasker.workflow_step_documents as d (workflow_step_uuid, task_uuid, inputs)
      values (v_step.workflow_step_uuid, v_step.task_uuid,
              jsonb_build_object('wait', jsonb_build_object(
                                   'kind', v_wait.kind, 'state', v_state, 'value', v_value)))
      on conflict (workflow_step_uuid) do update
        set inputs = coalesce(d.inputs, '{}') || excluded.inputs,
            document_hash
              = tasker.hash_documents(coalesce(d.inputs, '{}') || excluded.inputs, d.checkpoint);
      o_ready := o_ready || v_step.workflow_step_uuid;
      continue;
    end if;
    select m.o_deltas into v_deltas
    from tasker.apply_step_moves(
      array[(v_step.workflow_step_uuid, v_step.handoffs, 'pending',
             case when v_error is null then 'complete' else 'error' end, 'orchestrator',
             case when v_error is not null then
                    jsonb_build_object('error_type', v_error ->> 'type') end,
             case when v_error is null then 'success' else 'permanent_failure' end,
             case when v_error is null then v_value end, v_error, p_server_uuid,
             null)::tasker.step_move],
      p_server_uuid, v_now) m;
    o_deltas := o_deltas || v_deltas;
    if v_error is null then
      o_completed := o_completed || v_step.workflow_step_uuid;
    end if;
  end loop;
end
$$;
comment on function tasker.pass_waits(uuid[], uuid, timestamptz) is
  'Arms and ends the waits of steps whose parents are done.';
