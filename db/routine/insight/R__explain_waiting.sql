-- Explains why a task waits: one row for every unfinished step of an unfinished task, in the order of the template, with a
-- cause, a sentence and the details. Of the workers of a batch, the first 20 that have begun and not ended. An ended task and an unknown task have no row; a waiting task always has at least one.
-- cause: batch, yielded, parents, held_back, not_checked, delayed, paused, timer, signal, approval, child, child_retry, slot, not_started, ready, retry, retry_due, no_server, no_handler,
-- offered, running, cancelling, lease_expired, result_submitted, failed.
-- Locks: none. Source: ADR 0016.
create or replace function tasker.explain_waiting(p_task_uuid uuid, p_now timestamptz default null)
returns table (workflow_step_uuid uuid, step_name varchar, state tasker.step_state, cause text, sentence text, details jsonb)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
#variable_conflict use_column
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_task      tasker.tasks;
  v_namespace text;
  v_wake_at   timestamptz;
  v_pause     tasker.template_pauses;
  v_failed    jsonb;
  v_workers   int;
  v_names     jsonb;
  v_workers_shown uuid[];
begin
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid and t.completed_at is null;
  if not found then
    return;
  end if;
  select ns.name into v_namespace from tasker.named_tasks nt join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where nt.named_task_uuid = v_task.named_task_uuid;
  select w.wake_at into v_wake_at from tasker.task_wakeups w where w.task_uuid = p_task_uuid;
  select p.* into v_pause from tasker.template_pauses p where p.named_task_uuid = v_task.named_task_uuid order by p.paused_at limit 1;
  select jsonb_agg(coalesce(s.name, n.name) order by s.step_position) into v_failed
  from tasker.workflow_steps s join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  where s.task_uuid = p_task_uuid and s.step_position <= 1000000 and s.state = 'error';
  v_workers_shown := array(
    select s.workflow_step_uuid from tasker.batch_live_workers l
    join tasker.workflow_steps s on s.workflow_step_uuid = l.workflow_step_uuid
    where l.task_uuid = p_task_uuid
      and s.state not in ('complete', 'resolved_manually', 'cancelled', 'error', 'pending')
    order by s.step_position limit 20);
  select count(*) into v_workers from tasker.get_available_workers(v_namespace, v_now);
  -- The worker of a server has the server's key; a server without a worker row claimed the step before it lost the role.
  select jsonb_object_agg(u.uuid, u.name) into v_names
  from (select w.worker_uuid as uuid, w.name from tasker.workers w union select v.server_uuid, v.name from tasker.servers v) u;

  return query
  with steps as (
    select s.*, coalesce(s.name, n.name) as step_name, d.handler_callable, d.handler_resolver, d.handler_key, s.enqueued_at + d.queue_timeout_seconds * interval '1 second' as queue_ends_at, r.error, wt.kind as wait_kind, wt.armed_at as wait_armed_at, wt.due_at as wait_due_at, wt.signal_name, ap.approval_uuid, ap.claimed_by, ap.candidates, wt.child_task_uuid, wt.attempt as wait_attempt, ch.state as child_state, wo.why as watched, wo.since as watched_since, wo.due_at as watched_until, sl.policy, sl.slot_key, sl.slot_since, sl.slot_limit, sl.held_by,
           (select jsonb_agg(jsonb_build_object('name', coalesce(p.name, pn.name), 'state', p.state) order by p.step_position)
            from tasker.workflow_step_edges e
            join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid and p.state not in ('complete', 'resolved_manually')
            join tasker.named_steps pn on pn.named_step_uuid = p.named_step_uuid
            where e.to_step_uuid = s.workflow_step_uuid) as parents,
           v_names ->> s.leased_by::text as server,
           sl.policy_uuid, sl.place,
           ba.total_workers, ba.created_workers, ba.in_flight_workers, ba.done_workers, ba.failed_workers, ba.parallelism, yd.yields
    from tasker.get_open_steps(p_task_uuid) s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key
    left join tasker.workflow_step_documents yd on yd.workflow_step_uuid = s.workflow_step_uuid and yd.yielded_handoff = s.handoffs
    left join tasker.batches ba on ba.workflow_step_uuid = s.workflow_step_uuid and ba.closed_at is null
    left join tasker.unclaimed_offers wo on wo.task_uuid = s.task_uuid and wo.workflow_step_uuid = s.workflow_step_uuid and wo.handoff = s.handoffs
    left join tasker.step_waits wt on wt.task_uuid = s.task_uuid and wt.workflow_step_uuid = s.workflow_step_uuid and wt.state = 'open'
    left join tasker.tasks ch on ch.task_uuid = wt.child_task_uuid
    left join lateral (
      select a.approval_uuid, a.claimed_by,
             (select string_agg(c.name, ' or ' order by c.turn, c.name)
              from (select u as name, 1 as turn from unnest(a.candidate_users) u union all select 'role ' || r, 2 from unnest(a.candidate_roles) r) c) as candidates
      from tasker.approvals a where a.approval_uuid = wt.wait_uuid) ap on wt.kind = 'approval'
    left join lateral (
      select cp.policy_uuid, (select count(*) from (select from tasker.concurrency_slots f where f.policy_uuid = w.policy_uuid and f.key = w.key and f.admitted_at is null
                                                      and f.waiting_position <= w.waiting_position limit 1001) q) as place,
             cp.counts || ' of ' || cp.namespace_name || '/' || cp.template_name || coalesce('/' || cp.step_name, '')
               || coalesce(' per ' || cp.key_pointer || ' = ' || w.key, '') as policy,
             nullif(w.key, '') as slot_key, w.requested_at as slot_since, coalesce(cp.set_limit, cp.template_limit) as slot_limit,
             (select jsonb_agg(distinct h.task_uuid) from tasker.concurrency_slots h
              where h.policy_uuid = w.policy_uuid and h.key = w.key and h.admitted_at is not null) as held_by
      from tasker.concurrency_slots w
      join tasker.concurrency_policies cp on cp.policy_uuid = w.policy_uuid
      where w.holder_uuid in (s.workflow_step_uuid, s.task_uuid) and w.admitted_at is null
      order by w.requested_at limit 1) sl on s.state in ('pending', 'waiting_for_retry')
    where s.state not in ('complete', 'resolved_manually', 'cancelled')
      and (s.batch_step_uuid is null or s.workflow_step_uuid = any (v_workers_shown))),
  judged as (
    select s.*, case s.watched when 'unserved' then s.watched_since end as unserved_since,
           least(case s.watched when 'unserved' then s.watched_until end, case s.state when 'enqueued' then s.queue_ends_at end) as fails_at,
           case when s.state = 'enqueued' and s.queue_ends_at <= coalesce(case s.watched when 'unserved' then s.watched_until end, 'infinity')
                  then format('; it fails as queue_timeout at %s', s.queue_ends_at)
                when s.watched = 'unserved' and s.watched_until is not null then format('; it fails as worker_unavailable at %s', s.watched_until) else '' end as deadline,
           case
             when s.state = 'error' then 'failed'
             when s.state in ('enqueued_for_orchestration', 'enqueued_as_error_for_orchestration') then 'result_submitted'
             when s.state = 'in_progress' and s.lease_expires_at <= v_now then 'lease_expired'
             when s.state = 'in_progress' and v_task.cancel_requested_at is not null then 'cancelling'
             when s.state = 'in_progress' then 'running'
             when s.state = 'enqueued' and v_workers = 0 then 'no_server'
             when s.state = 'enqueued' and not exists (
               select from tasker.get_available_workers(v_namespace, v_now) w
               where tasker.has_handler(w.handlers, w.resolvers, w.unable, s.handler_callable, s.handler_resolver, s.handler_key)) then 'no_handler'
             when s.state = 'enqueued' then 'offered'
             when s.parents is not null then 'parents'
             when v_failed is not null and not v_task.continue_on_error then 'held_back'
             when not v_task.context_checked then 'not_checked'
             when v_task.is_delayed then 'delayed'
             when s.state = 'waiting_for_retry' and s.next_retry_at > v_now then case when s.yields > 0 then 'yielded' else 'retry' end
             when v_pause.paused_at is not null then 'paused'
             when s.wait_kind is not null then s.wait_kind::text
             when s.policy is not null then 'slot'
             when s.state = 'waiting_for_retry' then 'retry_due'
             when v_task.state = 'pending' then 'not_started'
             when s.total_workers is not null then 'batch'
             else 'ready'
           end as cause
    from steps s)
  select j.workflow_step_uuid, j.step_name, j.state, j.cause,
         case j.cause
           when 'failed' then format('failed permanently at attempt %s: %s: %s; an operator must act', j.attempts, j.error ->> 'type', left(j.error ->> 'message', 200))
           when 'result_submitted' then 'its result waits for an orchestrator'
           when 'lease_expired' then format('the lease of %s expired at %s; recovery offers the step again', coalesce(j.server, 'server ' || j.leased_by, 'its worker'), j.lease_expires_at)
           when 'cancelling' then format('runs on %s; %s requested the cancel of the task at %s (%s)', coalesce(j.server, 'server ' || j.leased_by, 'a worker'),
                                         coalesce(v_task.cancel_requested_by, 'an unnamed caller'), v_task.cancel_requested_at, v_task.cancel_policy)
           when 'running' then format('has been running on %s since %s, with a lease until %s', coalesce(j.server, 'server ' || j.leased_by, 'a worker'), j.last_attempted_at, j.lease_expires_at)
           when 'no_server' then format('has been offered since %s, but no live worker serves namespace %s%s', j.enqueued_at, v_namespace, j.deadline)
           when 'no_handler' then format('has been offered since %s, but no live worker of namespace %s has handler %s%s', j.enqueued_at, v_namespace, j.handler_key, j.deadline)
           when 'offered' then format('has been offered since %s; none of %s workers has claimed it yet%s', j.enqueued_at, v_workers, j.deadline)
           when 'parents' then format('waits for %s', (select string_agg(format('%s (%s)', p.value ->> 'name', p.value ->> 'state'), ', ') from jsonb_array_elements(j.parents) p))
           when 'held_back' then format('is blocked because %s failed; an operator must act', (select string_agg(f, ', ') from jsonb_array_elements_text(v_failed) f))
           when 'not_checked' then 'waits for a server to validate the context of the task'
           when 'delayed' then format('waits for the start of the task at %s', v_task.start_at)
           when 'timer' then format('waits until %s', j.wait_due_at)
           when 'signal' then format('has been waiting since %s for signal %s%s', j.wait_armed_at, j.signal_name, coalesce(', until ' || j.wait_due_at, ''))
           when 'approval' then format('has been waiting since %s for approval of %s%s%s', j.wait_armed_at, j.candidates, coalesce(', claimed by ' || j.claimed_by, ''),
                                       coalesce(', due ' || j.wait_due_at, ''))
           when 'child' then format('waits for child task %s (%s)%s', j.child_task_uuid, j.child_state, coalesce(format(', until %s', j.wait_due_at), ''))
           when 'child_retry' then format('its child task has failed; another one will be submitted at %s (attempt %s)', j.wait_due_at, j.wait_attempt)
           when 'yielded' then format('has yielded until %s (yield %s, attempt %s)', j.next_retry_at, j.yields, j.attempts + 1)
           when 'retry' then format('will be retried at %s (attempt %s)', j.next_retry_at, j.attempts + 1)
           when 'paused' then format('%s paused the %s at %s: %s', v_pause.paused_by, case when v_pause.is_namespace then 'namespace' else 'template' end, v_pause.paused_at, v_pause.reason)
           when 'slot' then format('has been waiting since %s at place %s for one of the %s slots of the policy for %s, held by %s', j.slot_since,
                                   case when j.place > 1000 then 'beyond 1000' else j.place::text end, j.slot_limit, j.policy,
                                   coalesce((select string_agg(format('task %s', h), ', ') from jsonb_array_elements_text(j.held_by) h), 'no task'))
           when 'retry_due' then format('its retry was due at %s; an orchestrator will evaluate the task at %s', j.next_retry_at, v_wake_at)
           when 'batch' then format('has ended %s of %s workers, %s of them failed; %s are in flight, of at most %s at once', j.done_workers + j.failed_workers, j.total_workers,
                                    j.failed_workers, j.in_flight_workers, j.parallelism)
           when 'not_started' then format('waits for an orchestrator to start the task, at %s', v_wake_at)
           else format('is ready; an orchestrator will evaluate the task at %s', v_wake_at)
         end,
         jsonb_strip_nulls(case j.cause
           when 'failed' then jsonb_build_object('error', j.error, 'failed_at', j.completed_at)
           when 'result_submitted' then jsonb_build_object('wake_at', v_wake_at)
           when 'parents' then jsonb_build_object('parents', j.parents)
           when 'held_back' then jsonb_build_object('failed_steps', v_failed)
           when 'yielded' then jsonb_build_object('next_retry_at', j.next_retry_at, 'yields', j.yields)
           when 'retry' then jsonb_build_object('next_retry_at', j.next_retry_at, 'next_attempt', j.attempts + 1)
           when 'slot' then jsonb_build_object('policy', j.policy, 'key', j.slot_key, 'waits_since', j.slot_since, 'limit', j.slot_limit, 'held_by', j.held_by,
                                               'policy_uuid', j.policy_uuid, 'place', nullif(j.place, 1001))
           when 'retry_due' then jsonb_build_object('next_retry_at', j.next_retry_at, 'wake_at', v_wake_at)
           when 'paused' then jsonb_build_object('paused_by', v_pause.paused_by, 'paused_at', v_pause.paused_at, 'reason', v_pause.reason, 'is_namespace', v_pause.is_namespace)
           when 'delayed' then jsonb_build_object('start_at', v_task.start_at)
           when 'timer' then jsonb_build_object('since', j.wait_armed_at, 'due_at', j.wait_due_at)
           when 'signal' then jsonb_build_object('signal', j.signal_name, 'since', j.wait_armed_at, 'due_at', j.wait_due_at)
           when 'child' then jsonb_build_object('child_task_uuid', j.child_task_uuid, 'child_state', j.child_state, 'since', j.wait_armed_at, 'due_at', j.wait_due_at)
           when 'child_retry' then jsonb_build_object('due_at', j.wait_due_at, 'next_attempt', j.wait_attempt)
           when 'approval' then jsonb_build_object('approval_uuid', j.approval_uuid, 'candidates', j.candidates, 'claimed_by', j.claimed_by, 'since', j.wait_armed_at, 'due_at', j.wait_due_at)
           when 'batch' then jsonb_build_object('total', j.total_workers, 'created', j.created_workers, 'in_flight', j.in_flight_workers, 'done', j.done_workers,
                                                'failed', j.failed_workers, 'parallelism', j.parallelism)
           when 'not_checked' then jsonb_build_object('wake_at', v_wake_at)
           when 'not_started' then jsonb_build_object('wake_at', v_wake_at)
           when 'ready' then jsonb_build_object('wake_at', v_wake_at)
           when 'no_server' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at, 'unserved_since', j.unserved_since, 'fails_at', j.fails_at)
           when 'no_handler' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at, 'handler', j.handler_key, 'unserved_since', j.unserved_since, 'fails_at', j.fails_at)
           when 'offered' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at, 'workers', v_workers,
                                                        'unclaimed_since', case j.watched when 'unclaimed' then j.watched_since end, 'taken_back_at', case j.watched when 'unclaimed' then j.watched_until end, 'fails_at', j.fails_at)
           else jsonb_build_object('server_uuid', j.leased_by, 'server', j.server, 'since', j.last_attempted_at, 'lease_expires_at', j.lease_expires_at,
                                   'cancel_requested_by', v_task.cancel_requested_by, 'cancel_requested_at', v_task.cancel_requested_at)
         end || jsonb_build_object('attempt', j.attempts))
  from judged j
  order by j.step_position;
end
$$;
comment on function tasker.explain_waiting(uuid, timestamptz) is
  'Explains why a task waits: one row for every unfinished step of an unfinished task, with a cause, a sentence and the details.';
