-- Derives the state of each task from the changes to its steps, and moves the task to it, with its
-- history, its next wake-up and, when it becomes blocked, its dead letter. A task named in a delta
-- of zeros is only evaluated again. Where a task can stay: steps_in_process while a step is in
-- flight; cancelled once a cancel was requested and no step is; complete; blocked_by_failures;
-- waiting_for_retry; waiting_for_dependencies. A task whose compensation is asked for begins it
-- instead of ending or being blocked, and ends as error or cancelled after it.
-- Locks: task rows, held by the caller; their wake-ups. A finished task is never changed. Returns
-- the tasks that are now terminal or blocked, for the callers that wait for them.
-- Source: ADR 0003.
create or replace function tasker.roll_up_task_states(
  p_deltas      tasker.task_delta[],
  p_server_uuid uuid,
  p_now         timestamptz default null)
returns table (task_uuid uuid, state tasker.task_state)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_moves   tasker.task_move[];
  v_blocked uuid[];
  v_asleep  uuid[];
  v_awake   uuid[];
  v_ended   uuid[];
  v_unblocked uuid[];
  v_compensated uuid[];
begin
  if coalesce(cardinality(p_deltas), 0) = 0 then
    return;
  end if;

  with sums as (
    select d.task_uuid, sum(d.in_flight)::int as in_flight, sum(d.unfinished)::int as unfinished,
           sum(d.failed)::int as failed, sum(d.retrying)::int as retrying
    from unnest(p_deltas) d
    group by d.task_uuid),
  -- Materialized, so that task_path gets columns instead of the whole expression below: only then
  -- the planner inlines it.
  judged as materialized (
    select t.task_uuid, t.state as from_state, s.in_flight, s.unfinished, s.failed, s.retrying,
           case
             when t.in_flight_steps + s.in_flight > 0 then 'steps_in_process'
             when t.cancel_requested_at is not null then 'cancelled'
             when t.unfinished_steps + s.unfinished = 0 then
               case t.compensation when 'cancel' then 'cancelled'
                    when 'failure' then 'error'
                    when 'operator' then 'error'
                    else 'complete' end
             when t.failed_steps + s.failed > 0
               and (not t.continue_on_error or t.retrying_steps + s.retrying = 0) then
               'blocked_by_failures'
             when t.retrying_steps + s.retrying > 0 then 'waiting_for_retry'
             else 'waiting_for_dependencies' end::tasker.task_state as to_state
    from sums s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    where t.completed_at is null),
  -- Before such a task ends, or is blocked, what it has done is compensated.
  compensated as materialized (
    select j.task_uuid
    from judged j
    where j.to_state in ('blocked_by_failures', 'cancelled')
      and tasker.wants_compensation(j.task_uuid)),
  moved as (
    update tasker.tasks t
    set in_flight_steps = t.in_flight_steps + j.in_flight,
        unfinished_steps = t.unfinished_steps + j.unfinished,
        failed_steps = t.failed_steps + j.failed,
        retrying_steps = t.retrying_steps + j.retrying,
        state = j.to_state,
        transition_count = t.transition_count
          + case when j.from_state = j.to_state then 0
                 else cardinality(tasker.task_path(j.from_state, j.to_state)) - 1 end,
        completed_at = case when j.to_state in ('complete', 'cancelled', 'error') then v_now end
    from judged j
    where t.task_uuid = j.task_uuid
      and t.task_uuid <> all (array(select c.task_uuid from compensated c))
    returning t.task_uuid, t.transition_count, j.from_state, j.to_state)
  select array_agg((m.task_uuid, m.transition_count, m.from_state,
                    m.to_state)::tasker.task_move) filter (where m.from_state <> m.to_state),
         array_agg(m.task_uuid)
           filter (where m.to_state = 'blocked_by_failures' and m.from_state <> m.to_state),
         array_agg(m.task_uuid)
           filter (where m.to_state in ('waiting_for_retry', 'waiting_for_dependencies')),
         array_agg(m.task_uuid)
           filter (where m.to_state = 'steps_in_process' and m.from_state <> m.to_state),
         array_agg(m.task_uuid) filter (where m.to_state in ('complete', 'cancelled', 'error')),
         array_agg(m.task_uuid)
           filter (where m.from_state = 'blocked_by_failures' and m.to_state <> m.from_state),
         (select array_agg(c.task_uuid) from compensated c)
    into v_moves, v_blocked, v_asleep, v_awake, v_ended, v_unblocked, v_compensated
  from moved m;

  -- Most calls leave their tasks in the state in which they found them. No statement without a row:
  -- it would be set up, and its trigger run, for nothing.
  if v_moves is not null then
    insert into tasker.task_moves
      (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid)
    select m.task_uuid, m.transition_count, m.from_state, m.to_state, 'orchestrator',
           tasker.name_task_path(m.from_state, m.to_state), p_server_uuid
    from unnest(v_moves) m;
  end if;

  if v_asleep is not null then
    insert into tasker.task_wakeups as w (task_uuid, wake_at)
    select a,
           least(coalesce((select min(s.next_retry_at)
                           from tasker.get_open_steps(a) s
                           where s.state = 'waiting_for_retry'),
                          v.ends_at, v_now + interval '30 seconds'),
                 v.ends_at,
                 -- However long the wait, the task is evaluated when it breaches its SLA; after
                 -- that the SLA sets no wake-up.
                 (select least(case when l.at > v_now then l.at end,
                               case when l.sla_at > v_now then l.sla_at end,
                               -- One that is past waits for the round that ends the task: it is
                               -- due.
                               case when t.timed_out_at is null
                                      and t.cancel_requested_at is null
                                      and t.compensation is null then
                                      greatest(t.start_at, t.created_at) + nt.max_duration end)
                  from tasker.tasks t
                  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
                  cross join lateral (select greatest(t.start_at, t.created_at)
                                               + nt.max_duration_minutes * interval '1 minute'
                                               as at,
                                             greatest(t.start_at, t.created_at)
                                               + nt.sla_minutes * interval '1 minute' as sla_at) l
                  where t.task_uuid = a))
    from unnest(v_asleep) a
    cross join lateral tasker.calculate_wait_end(a, v_now) v
    -- A task that is due stays due: what completes here does not do what it is due for (the end of
    -- a wait, a signal, the end of a child), and the next round has to.
    on conflict (task_uuid) do update
      set wake_at = least(excluded.wake_at, case when w.wake_at <= v_now then w.wake_at end);
  end if;
  if v_awake is not null then
    insert into tasker.task_wakeups as w (task_uuid, wake_at)
    select a,
           least(v_now + interval '30 seconds',
                 case when t.timed_out_at is null
                        and t.cancel_requested_at is null
                        and t.compensation is null then
                        greatest(t.start_at, t.created_at) + nt.max_duration end)
    from unnest(v_awake) a
    join tasker.tasks t on t.task_uuid = a
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    on conflict (task_uuid) do update set wake_at = least(w.wake_at, excluded.wake_at);
  end if;
  if v_blocked is not null then
    delete from tasker.task_wakeups w where w.task_uuid = any (v_blocked);
    perform tasker.create_dlq_entries(v_blocked, v_now);
  end if;
  if v_unblocked is not null then
    update tasker.tasks_dlq d
    set resolution_status = case t.state when 'cancelled' then 'cancelled'
                                 else 'manually_resolved' end::tasker.dlq_resolution_status,
        resolution_timestamp = v_now, resolution_notes = 'the task is no longer blocked',
        updated_at = v_now
    from tasker.tasks t
    where d.task_uuid = any (v_unblocked)
      and d.resolution_status = 'pending'
      and t.task_uuid = d.task_uuid;
    update tasker.tasks_dlq d set sla_due_at = null
    where d.task_uuid = any (v_unblocked) and d.sla_due_at is not null;
  end if;
  if v_ended is not null then
    delete from tasker.task_wakeups w where w.task_uuid = any (v_ended);
  end if;

  if v_compensated is not null then
    return query
    select r.task_uuid, r.state
    from tasker.roll_up_task_states(
      tasker.begin_compensations(v_compensated, p_server_uuid, v_now), p_server_uuid, p_now) r;
  end if;

  return query
    select e, case when e = any (v_blocked) then 'blocked_by_failures'
                   else (select t.state from tasker.tasks t where t.task_uuid = e) end
    from unnest(v_ended || v_blocked) e;
end
$$;
comment on function tasker.roll_up_task_states(tasker.task_delta[], uuid, timestamptz) is
  'Derives the state of each task from the changes to its steps, and moves the task to it.';
