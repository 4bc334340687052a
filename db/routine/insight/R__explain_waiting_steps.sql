-- Explains why tasks wait: one row for every unfinished step of each unfinished task, with a cause,
-- a sentence and the details. Of the workers of a batch, the first 20 that have begun and not
-- ended. An ended task and an unknown task have no row; a waiting task always has at least one.
-- p_first_only: of each task only the step that matters most, and in steps how many unfinished ones
-- it was chosen from; of a task that is being compensated only compensating steps count, since what
-- it has not done is not waited for. It is one statement, whose order of causes, sentences and
-- look-ups are the same for one task and for a page of them; what only the sentence needs is looked
-- up after the choice.
-- p_shows_context: false leaves out the value of a concurrency key, which is part of the context.
-- p_shows_errors: false leaves out the error that a handler reported.
-- cause: batch, yielded, parents, held_back, not_checked, delayed, paused, timer, signal, approval,
-- child, child_retry, slot, not_started, ready, retry, retry_due, no_server, no_handler, offered,
-- running, cancelling, lease_expired, result_submitted, failed.
-- Locks: none. Source: ADR 0016, ADR 0058.
create or replace function tasker.explain_waiting_steps(
  p_task_uuids uuid[], p_now timestamptz default null, p_first_only boolean default false,
  p_shows_context boolean default true, p_shows_errors boolean default true)
returns table (task_uuid uuid, workflow_step_uuid uuid, step_name varchar, state tasker.step_state,
               step_position int, cause text, sentence text, details jsonb, steps bigint)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO' set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with waiting_tasks as materialized (
    select t.task_uuid, t.state, t.continue_on_error, t.context_checked, t.is_delayed, t.start_at,
           t.cancel_requested_at, t.cancel_requested_by, t.cancel_policy, ns.name as namespace,
           w.wake_at, p.paused_by, p.paused_at, p.reason as pause_reason, p.is_namespace,
           exists (select from tasker.task_compensations c
                   where c.task_uuid = t.task_uuid and c.state = 'running') as is_compensated,
           case when t.failed_steps > 0 then
                  (select jsonb_agg(coalesce(s.name, n.name) order by s.step_position)
                   from tasker.workflow_steps s
                   join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
                   where s.task_uuid = t.task_uuid
                     and s.step_position <= 1000000
                     and s.state = 'error') end as failed_names,
           case when exists (select from tasker.batches b where b.task_uuid = t.task_uuid) then
                  array(select s.workflow_step_uuid
                        from tasker.batch_live_workers l
                        join tasker.workflow_steps s on s.workflow_step_uuid = l.workflow_step_uuid
                        where l.task_uuid = t.task_uuid
                          and s.state not in ('complete', 'resolved_manually', 'cancelled', 'error',
                                              'pending')
                        order by s.step_position limit 20) end as workers_shown
    from (select distinct u.task_uuid from unnest(p_task_uuids) u(task_uuid)) u
    join tasker.tasks t on t.task_uuid = u.task_uuid and t.completed_at is null
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
    left join lateral (select p.*
                       from tasker.template_pauses p
                       where p.named_task_uuid = t.named_task_uuid
                       order by p.paused_at limit 1) p on true),
  -- With what the cause depends on: a step that waits for its parents, most of a long task, needs
  -- no look-up.
  unfinished_steps as materialized (
    select s.*, t.namespace, t.state as task_state, t.continue_on_error, t.context_checked,
           t.is_delayed, t.paused_at, t.failed_names is not null as has_failures,
           t.cancel_requested_at is not null as is_cancelled, d.handler_callable,
           d.handler_resolver, d.handler_key,
           s.enqueued_at + d.queue_timeout_seconds * interval '1 second' as queue_ends_at,
           wt.wait_uuid, wt.kind as wait_kind, wt.armed_at as wait_armed_at,
           wt.due_at as wait_due_at, wt.signal_name, wt.child_task_uuid, wt.attempt as wait_attempt,
           sl.policy_uuid as slot_policy_uuid, sl.key as slot_key, sl.claim_rank as slot_rank,
           sl.waiting_position as slot_position, sl.requested_at as slot_since, ba.total_workers,
           ba.created_workers, ba.in_flight_workers, ba.done_workers, ba.failed_workers,
           ba.cancelled_workers, ba.parallelism, yd.yields
    from waiting_tasks t
    join lateral tasker.get_open_steps(t.task_uuid) s
      on s.state not in ('complete', 'resolved_manually', 'cancelled')
        and (s.batch_step_uuid is null or s.workflow_step_uuid = any (t.workers_shown))
    left join lateral (
      select n.*
      from tasker.named_tasks_named_steps n
      where n.named_step_uuid = s.named_step_uuid and s.state = 'enqueued' limit 1) d on true
    left join lateral (select y.*
                       from tasker.workflow_step_documents y
                       where y.workflow_step_uuid = s.workflow_step_uuid
                         and y.yielded_handoff = s.handoffs
                         and s.state = 'waiting_for_retry' limit 1) yd on true
    left join lateral (select b.*
                       from tasker.batches b
                       where b.workflow_step_uuid = s.workflow_step_uuid
                         and b.closed_at is null
                         and s.remaining_parents = 0
                         and tasker.step_awaits_handoff(s.state) limit 1) ba on true
    left join lateral (select w.*
                       from tasker.step_waits w
                       where w.workflow_step_uuid = s.workflow_step_uuid
                         and w.state = 'open'
                         and s.remaining_parents = 0
                         and tasker.step_awaits_handoff(s.state) limit 1) wt on true
    left join lateral (select w.*
                       from tasker.concurrency_slots w
                       where w.holder_uuid in (s.workflow_step_uuid, s.task_uuid)
                         and w.admitted_at is null
                         and s.remaining_parents = 0
                         and tasker.step_awaits_handoff(s.state)
                       order by w.requested_at limit 1) sl on true),
  offered_handlers as materialized (
    select h.*, (select count(*) from tasker.get_available_workers(h.namespace, v_now)) as workers,
           exists (select from tasker.get_available_workers(h.namespace, v_now) w
                   where tasker.has_handler(w.handlers, w.resolvers, w.unable, h.handler_callable,
                                            h.handler_resolver, h.handler_key)) as is_served
    from (select distinct s.namespace, s.handler_callable, s.handler_resolver, s.handler_key
          from unfinished_steps s
          where s.state = 'enqueued') h),
  judged_steps as (
    select s.*, h.workers,
           case
             when s.state = 'error' then 'failed'
             when tasker.step_awaits_settlement(s.state) then 'result_submitted'
             when s.state = 'in_progress' and s.lease_expires_at <= v_now then 'lease_expired'
             when s.state = 'in_progress' and s.is_cancelled then 'cancelling'
             when s.state = 'in_progress' then 'running'
             when s.state = 'enqueued' and h.workers = 0 then 'no_server'
             when s.state = 'enqueued' and not h.is_served then 'no_handler'
             when s.state = 'enqueued' then 'offered'
             when s.remaining_parents > 0 then 'parents'
             when s.has_failures and not s.continue_on_error then 'held_back'
             when not s.context_checked then 'not_checked'
             when s.is_delayed then 'delayed'
             when s.state = 'waiting_for_retry' and s.next_retry_at > v_now then
               case when s.yields > 0 then 'yielded' else 'retry' end
             when s.paused_at is not null then 'paused'
             when s.wait_kind is not null then s.wait_kind::text
             when s.slot_policy_uuid is not null then 'slot'
             when s.state = 'waiting_for_retry' then 'retry_due'
             when s.task_state = 'pending' then 'not_started'
             when s.total_workers is not null then 'batch'
             else 'ready' end as cause
    from unfinished_steps s
    left join offered_handlers h on s.state = 'enqueued'
      and h.namespace = s.namespace
      and h.handler_key is not distinct from s.handler_key
      and h.handler_callable is not distinct from s.handler_callable
      and h.handler_resolver is not distinct from s.handler_resolver),
  ranked_steps as (
    select j.*, count(*) over of_task as steps,
           row_number() over (
             of_task order by array_position(
               '{failed,no_server,no_handler,paused,slot,not_checked,delayed,cancelling,'
               'lease_expired,retry,retry_due,running,offered,result_submitted,batch,child,'
               'child_retry,approval,signal,timer,not_started,ready,held_back,parents}',
               j.cause),
             j.step_position) as turn
    from judged_steps j
    where not p_first_only
      or j.compensates_step_uuid is not null and j.batch_step_uuid is null
      or not exists (select from waiting_tasks t
                     where t.task_uuid = j.task_uuid and t.is_compensated)
    window of_task as (partition by j.task_uuid))
  select j.task_uuid, j.workflow_step_uuid, coalesce(j.name, n.name), j.state, j.step_position,
         j.cause,
         case j.cause
           when 'failed' then case
             when p_shows_errors then
               format('failed permanently%s: %s: %s; an operator must act',
                      case when j.attempts > 0 then format(' at attempt %s', j.attempts) end,
                      r.error ->> 'type', left(r.error ->> 'message', 200))
             -- A batch, and a step with a child, fail without an attempt of their own.
             else format('failed permanently%s; an operator has to act',
                         case when j.attempts > 0 then format(' at attempt %s', j.attempts) end)
           end
           when 'result_submitted' then 'its result waits for an orchestrator'
           when 'lease_expired' then
             format('the lease of %s expired at %s; recovery offers the step again',
                    coalesce(o.server, 'server ' || j.leased_by, 'its worker'), j.lease_expires_at)
           when 'cancelling' then
             format('runs on %s; %s requested the cancel of the task at %s (%s)',
                    coalesce(o.server, 'server ' || j.leased_by, 'a worker'),
                    coalesce(t.cancel_requested_by, 'an unnamed caller'), t.cancel_requested_at,
                    t.cancel_policy)
           when 'running' then format('has been running on %s since %s, with a lease until %s',
                                      coalesce(o.server, 'server ' || j.leased_by, 'a worker'),
                                      j.last_attempted_at, j.lease_expires_at)
           when 'no_server' then
             format('has been offered since %s, but no live worker serves namespace %s%s',
                    j.enqueued_at, t.namespace, f.deadline)
           when 'no_handler' then format(
             'has been offered since %s, but no live worker of namespace %s has handler %s%s',
             j.enqueued_at, t.namespace, j.handler_key, f.deadline)
           when 'offered' then
             format('has been offered since %s; none of %s workers has claimed it yet%s',
                    j.enqueued_at, j.workers, f.deadline)
           when 'parents' then format(
             'waits for %s',
             (select string_agg(format('%s (%s)', p.value ->> 'name', p.value ->> 'state'), ', ')
              from jsonb_array_elements(o.parents) p))
           when 'held_back' then
             format('is blocked because %s failed; an operator must act',
                    (select string_agg(f, ', ') from jsonb_array_elements_text(t.failed_names) f))
           when 'not_checked' then 'waits for a server to validate the context of the task'
           when 'delayed' then format('waits for the start of the task at %s', t.start_at)
           when 'timer' then format('waits until %s', j.wait_due_at)
           when 'signal' then format('has been waiting since %s for signal %s%s', j.wait_armed_at,
                                     j.signal_name, coalesce(', until ' || j.wait_due_at, ''))
           when 'approval' then
             format('has been waiting since %s for approval of %s%s%s', j.wait_armed_at,
                    ap.candidates, coalesce(', claimed by ' || ap.claimed_by, ''),
                    coalesce(', due ' || j.wait_due_at, ''))
           when 'child' then
             format('waits for child task %s (%s)%s', j.child_task_uuid, o.child_state,
                    coalesce(format(', until %s', j.wait_due_at), ''))
           when 'child_retry' then
             format('its child task has failed; another one will be submitted at %s (attempt %s)',
                    j.wait_due_at, j.wait_attempt)
           when 'yielded' then format('has yielded until %s (yield %s, attempt %s)',
                                      j.next_retry_at, j.yields, j.attempts + 1)
           when 'retry' then
             format('will be retried at %s (attempt %s)', j.next_retry_at, j.attempts + 1)
           when 'paused' then format('%s paused the %s at %s: %s', t.paused_by,
                                     case when t.is_namespace then 'namespace' else 'template' end,
                                     t.paused_at, t.pause_reason)
           when 'slot' then format(
             'has been waiting since %s at place %s for one of the %s slots of the policy for '
             '%s, held by %s',
             j.slot_since, case when o.place > 1000 then 'beyond 1000' else o.place::text end,
             cp.slot_limit, cp.policy,
             coalesce((select string_agg(format('task %s', h), ', ')
                       from jsonb_array_elements_text(o.held_by) h),
                      'no task'))
           when 'retry_due' then
             format('its retry was due at %s; an orchestrator will evaluate the task at %s',
                    j.next_retry_at, t.wake_at)
           when 'batch' then format('has ended %s of %s workers, %s of them failed; %s are in '
                                    'flight, of at most %s at once',
                                    j.done_workers + j.failed_workers, j.total_workers,
                                    j.failed_workers, j.in_flight_workers, j.parallelism)
           when 'not_started' then
             format('waits for an orchestrator to start the task, at %s', t.wake_at)
           else format('is ready; an orchestrator will evaluate the task at %s', t.wake_at) end,
         jsonb_strip_nulls(
           case j.cause
             when 'failed' then jsonb_build_object(
               'error', case when p_shows_errors then r.error end, 'failed_at', j.completed_at)
             when 'result_submitted' then jsonb_build_object('wake_at', t.wake_at)
             when 'parents' then jsonb_build_object('parents', o.parents)
             when 'held_back' then jsonb_build_object('failed_steps', t.failed_names)
             when 'yielded' then
               jsonb_build_object('next_retry_at', j.next_retry_at, 'yields', j.yields)
             when 'retry' then
               jsonb_build_object('next_retry_at', j.next_retry_at, 'next_attempt', j.attempts + 1)
             when 'slot' then jsonb_build_object(
               'policy', cp.policy,
               'key', case when p_shows_context then nullif(j.slot_key, '') end,
               'waits_since', j.slot_since, 'limit', cp.slot_limit, 'held_by', o.held_by,
               'policy_uuid', j.slot_policy_uuid, 'place', nullif(o.place, 1001))
             when 'retry_due' then
               jsonb_build_object('next_retry_at', j.next_retry_at, 'wake_at', t.wake_at)
             when 'paused' then
               jsonb_build_object('paused_by', t.paused_by, 'paused_at', t.paused_at,
                                  'reason', t.pause_reason, 'is_namespace', t.is_namespace)
             when 'delayed' then jsonb_build_object('start_at', t.start_at)
             when 'timer' then jsonb_build_object('since', j.wait_armed_at, 'due_at', j.wait_due_at)
             when 'signal' then jsonb_build_object(
               'signal', j.signal_name, 'since', j.wait_armed_at, 'due_at', j.wait_due_at)
             when 'child' then jsonb_build_object(
               'child_task_uuid', j.child_task_uuid, 'child_state', o.child_state,
               'since', j.wait_armed_at, 'due_at', j.wait_due_at)
             when 'child_retry' then
               jsonb_build_object('due_at', j.wait_due_at, 'next_attempt', j.wait_attempt)
             when 'approval' then jsonb_build_object(
               'approval_uuid', ap.approval_uuid, 'candidates', ap.candidates,
               'claimed_by', ap.claimed_by, 'since', j.wait_armed_at, 'due_at', j.wait_due_at)
             when 'batch' then
               jsonb_build_object('total', j.total_workers, 'created', j.created_workers,
                                  'in_flight', j.in_flight_workers, 'done', j.done_workers,
                                  'failed', j.failed_workers, 'cancelled', j.cancelled_workers,
                                  'parallelism', j.parallelism)
             when 'not_checked' then jsonb_build_object('wake_at', t.wake_at)
             when 'not_started' then jsonb_build_object('wake_at', t.wake_at)
             when 'ready' then jsonb_build_object('wake_at', t.wake_at)
             when 'no_server' then
               jsonb_build_object('namespace', t.namespace, 'offered_at', j.enqueued_at,
                                  'unserved_since', f.unserved_since, 'fails_at', f.fails_at)
             when 'no_handler' then jsonb_build_object(
               'namespace', t.namespace, 'offered_at', j.enqueued_at, 'handler', j.handler_key,
               'unserved_since', f.unserved_since, 'fails_at', f.fails_at)
             when 'offered' then jsonb_build_object(
               'namespace', t.namespace, 'offered_at', j.enqueued_at, 'workers', j.workers,
               'unclaimed_since', case wo.why when 'unclaimed' then wo.since end,
               'taken_back_at', case wo.why when 'unclaimed' then wo.due_at end,
               'fails_at', f.fails_at)
             else jsonb_build_object(
               'server_uuid', j.leased_by, 'server', o.server, 'since', j.last_attempted_at,
               'lease_expires_at', j.lease_expires_at, 'cancel_requested_by', t.cancel_requested_by,
               'cancel_requested_at', t.cancel_requested_at) end || jsonb_build_object(
             'attempt', j.attempts)),
         j.steps
  from ranked_steps j
  join waiting_tasks t on t.task_uuid = j.task_uuid
  join tasker.named_steps n on n.named_step_uuid = j.named_step_uuid
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = j.workflow_step_uuid
    and r.sort_key = j.result_sort_key
  left join lateral (select o.*
                     from tasker.unclaimed_offers o
                     where o.task_uuid = j.task_uuid
                       and o.workflow_step_uuid = j.workflow_step_uuid
                       and o.handoff = j.handoffs
                       and j.state = 'enqueued' limit 1) wo on true
  left join lateral (
    select case wo.why when 'unserved' then wo.since end as unserved_since,
           least(case wo.why when 'unserved' then wo.due_at end, j.queue_ends_at) as fails_at,
           case when j.queue_ends_at
                  <= coalesce(case wo.why when 'unserved' then wo.due_at end, 'infinity') then
                  format('; it fails as queue_timeout at %s', j.queue_ends_at)
                when wo.why = 'unserved' and wo.due_at is not null then
                  format('; it fails as worker_unavailable at %s', wo.due_at)
                else '' end as deadline
    offset 0) f on true
  left join lateral (
    select case when j.state = 'in_progress' then coalesce(
                  -- The worker of a server has the server's key; a server without a worker row
                  -- claimed the step before it lost the role.
                  (select w.name from tasker.workers w where w.worker_uuid = j.leased_by),
                  (select v.name from tasker.servers v where v.server_uuid = j.leased_by)) end
             as server,
           case when j.cause = 'parents' then
                  (select jsonb_agg(jsonb_build_object('name', coalesce(p.name, pn.name),
                                                       'state', p.state) order by p.step_position)
                   from tasker.get_parent_steps(j.workflow_step_uuid) p
                   join tasker.named_steps pn on pn.named_step_uuid = p.named_step_uuid
                   where not tasker.step_ended_well(p.state)) end as parents,
           case when j.cause = 'child' then
                  (select c.state from tasker.tasks c where c.task_uuid = j.child_task_uuid) end
             as child_state,
           case when j.cause = 'slot' then
                  (select count(*)
                   from (select from tasker.concurrency_slots q
                         where q.policy_uuid = j.slot_policy_uuid
                           and q.key = j.slot_key
                           and q.admitted_at is null
                           and (q.claim_rank, q.waiting_position) <= (j.slot_rank, j.slot_position)
                         limit 1001) q) end as place,
           case when j.cause = 'slot' then
                  (select jsonb_agg(distinct q.task_uuid)
                   from tasker.concurrency_slots q
                   where q.policy_uuid = j.slot_policy_uuid
                     and q.key = j.slot_key
                     and q.admitted_at is not null) end as held_by
    offset 0) o on true
  left join lateral (
    select cp.counts || ' of ' || cp.namespace_name || '/' || cp.template_name || coalesce(
             '/' || cp.step_name,
             '') || coalesce(' per ' || cp.key_pointer
                               || case when p_shows_context then ' = ' || j.slot_key else '' end,
                             '') as policy,
           coalesce(cp.set_limit, cp.template_limit) as slot_limit
    from tasker.concurrency_policies cp
    where cp.policy_uuid = j.slot_policy_uuid and j.cause = 'slot' limit 1) cp on true
  left join lateral (
    select a.approval_uuid, a.claimed_by,
           (select string_agg(c.name, ' or ' order by c.turn, c.name)
            from (select u as name, 1 as turn
                  from unnest(a.candidate_users) u
                  union all
                  select 'role ' || r, 2 from unnest(a.candidate_roles) r) c) as candidates
    from tasker.approvals a
    where a.approval_uuid = j.wait_uuid and j.cause = 'approval' limit 1) ap on true
  where not p_first_only or j.turn = 1
  order by j.task_uuid, j.step_position, j.workflow_step_uuid;
end
$$;
comment on function tasker.explain_waiting_steps(uuid[], timestamptz, boolean, boolean, boolean) is
  'Explains why tasks wait: one row for every unfinished step of each unfinished task, or for the '
  'one that matters most, with a cause, a sentence and the details.';
