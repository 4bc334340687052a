-- Why a task waits: one row for every step of an unfinished task that is not done, in the order of the template, with a word,
-- a sentence and the facts. A task that ended waits for nothing and has no row, nor has a task that is not there; one that waits always has at least one.
-- cause: parents, held_back, not_checked, paused, slot, not_started, ready, retry, retry_due, no_server, no_handler, offered,
-- running, cancelling, lease_expired, result_submitted, failed.
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
  v_servers   jsonb;
  v_names     jsonb;
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
  where s.task_uuid = p_task_uuid and s.state = 'error';
  select coalesce(jsonb_agg(jsonb_build_object('server_uuid', v.server_uuid, 'name', v.name)), '[]') into v_servers
  from tasker.servers v
  where v.lease_expires_at > v_now and 'worker' = any (v.roles) and v.state in ('healthy', 'degraded') and (v.namespaces is null or v_namespace = any (v.namespaces));
  select jsonb_object_agg(v.server_uuid, v.name) into v_names from tasker.servers v;

  return query
  with steps as (
    select s.*, coalesce(s.name, n.name) as step_name, d.handler_callable, d.handler_resolver, d.handler_key, r.error, wo.why as watched, wo.since as watched_since, wo.due_at as watched_until, sl.policy, sl.slot_key, sl.slot_since, sl.slot_limit, sl.held_by,
           (select jsonb_agg(jsonb_build_object('name', coalesce(p.name, pn.name), 'state', p.state) order by p.step_position)
            from tasker.workflow_step_edges e
            join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid and p.state not in ('complete', 'resolved_manually')
            join tasker.named_steps pn on pn.named_step_uuid = p.named_step_uuid
            where e.to_step_uuid = s.workflow_step_uuid) as parents,
           v_names ->> s.leased_by::text as server
    from tasker.workflow_steps s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key
    left join tasker.unclaimed_offers wo on wo.task_uuid = s.task_uuid and wo.workflow_step_uuid = s.workflow_step_uuid and wo.handoff = s.handoffs
    left join lateral (
      select cp.counts || ' of ' || cp.namespace_name || '/' || cp.template_name || coalesce('/' || cp.step_name, '')
               || coalesce(' per ' || cp.key_pointer || ' = ' || w.key, '') as policy,
             nullif(w.key, '') as slot_key, w.requested_at as slot_since, coalesce(cp.set_limit, cp.template_limit) as slot_limit,
             (select jsonb_agg(distinct h.task_uuid) from tasker.concurrency_slots h
              where h.policy_uuid = w.policy_uuid and h.key = w.key and h.admitted_at is not null) as held_by
      from tasker.concurrency_slots w
      join tasker.concurrency_policies cp on cp.policy_uuid = w.policy_uuid
      where w.holder_uuid in (s.workflow_step_uuid, s.task_uuid) and w.admitted_at is null
      order by w.requested_at limit 1) sl on s.state in ('pending', 'waiting_for_retry')
    where s.task_uuid = p_task_uuid and s.state not in ('complete', 'resolved_manually', 'cancelled')),
  judged as (
    select s.*,
           case
             when s.state = 'error' then 'failed'
             when s.state in ('enqueued_for_orchestration', 'enqueued_as_error_for_orchestration') then 'result_submitted'
             when s.state = 'in_progress' and s.lease_expires_at <= v_now then 'lease_expired'
             when s.state = 'in_progress' and v_task.cancel_requested_at is not null then 'cancelling'
             when s.state = 'in_progress' then 'running'
             when s.state = 'enqueued' and jsonb_array_length(v_servers) = 0 then 'no_server'
             when s.state = 'enqueued' and not exists (
               select from tasker.servers v
               where v.lease_expires_at > v_now and 'worker' = any (v.roles) and v.state in ('healthy', 'degraded')
                 and (v.namespaces is null or v_namespace = any (v.namespaces))
                 and tasker.has_handler(v.handlers, v.resolvers, v.missing, s.handler_callable, s.handler_resolver, s.handler_key)) then 'no_handler'
             when s.state = 'enqueued' then 'offered'
             when s.parents is not null then 'parents'
             when v_failed is not null and not v_task.continue_on_error then 'held_back'
             when not v_task.context_checked then 'not_checked'
             when s.state = 'waiting_for_retry' and s.next_retry_at > v_now then 'retry'
             when v_pause.paused_at is not null then 'paused'
             when s.policy is not null then 'slot'
             when s.state = 'waiting_for_retry' then 'retry_due'
             when v_task.state = 'pending' then 'not_started'
             else 'ready'
           end as cause
    from steps s)
  select j.workflow_step_uuid, j.step_name, j.state, j.cause,
         case j.cause
           when 'failed' then format('failed for good at attempt %s: %s: %s; a person has to act', j.attempts, j.error ->> 'type', left(j.error ->> 'message', 200))
           when 'result_submitted' then 'its result waits for an orchestrator'
           when 'lease_expired' then format('the lease of %s ran out at %s; recovery offers it again', coalesce(j.server, 'server ' || j.leased_by, 'its worker'), j.lease_expires_at)
           when 'cancelling' then format('runs on %s; %s has asked at %s for the task to be cancelled (%s)', coalesce(j.server, 'server ' || j.leased_by, 'a worker'),
                                         coalesce(v_task.cancel_requested_by, 'somebody'), v_task.cancel_requested_at, v_task.cancel_policy)
           when 'running' then format('runs on %s since %s, with a lease until %s', coalesce(j.server, 'server ' || j.leased_by, 'a worker'), j.last_attempted_at, j.lease_expires_at)
           when 'no_server' then format('is offered since %s, but no server that is alive takes steps of namespace %s', j.enqueued_at, v_namespace)
           when 'no_handler' then format('is offered since %s, but no server of namespace %s has a handler %s', j.enqueued_at, v_namespace, j.handler_key)
           when 'offered' then format('is offered since %s and not taken yet by any of %s servers', j.enqueued_at, jsonb_array_length(v_servers))
           when 'parents' then format('waits for %s', (select string_agg(format('%s (%s)', p.value ->> 'name', p.value ->> 'state'), ', ') from jsonb_array_elements(j.parents) p))
           when 'held_back' then format('is held back because %s failed; a person has to act', (select string_agg(f, ', ') from jsonb_array_elements_text(v_failed) f))
           when 'not_checked' then 'waits for a server to check the context of the task'
           when 'retry' then format('is tried again at %s (attempt %s)', j.next_retry_at, j.attempts + 1)
           when 'paused' then format('%s paused the %s at %s: %s', v_pause.paused_by, case when v_pause.is_namespace then 'namespace' else 'template' end, v_pause.paused_at, v_pause.reason)
           when 'slot' then format('waits since %s for one of the %s slots of the policy for %s, held by %s', j.slot_since, j.slot_limit, j.policy,
                                   coalesce((select string_agg(format('task %s', h), ', ') from jsonb_array_elements_text(j.held_by) h), 'nobody'))
           when 'retry_due' then format('its retry was due at %s; the task is looked at at %s', j.next_retry_at, v_wake_at)
           when 'not_started' then format('waits for an orchestrator to start the task, at %s', v_wake_at)
           else format('is ready; the task is looked at at %s', v_wake_at)
         end,
         jsonb_strip_nulls(case j.cause
           when 'failed' then jsonb_build_object('error', j.error, 'failed_at', j.completed_at)
           when 'result_submitted' then jsonb_build_object('wake_at', v_wake_at)
           when 'parents' then jsonb_build_object('parents', j.parents)
           when 'held_back' then jsonb_build_object('failed_steps', v_failed)
           when 'retry' then jsonb_build_object('next_retry_at', j.next_retry_at, 'next_attempt', j.attempts + 1)
           when 'slot' then jsonb_build_object('policy', j.policy, 'key', j.slot_key, 'waits_since', j.slot_since, 'limit', j.slot_limit, 'held_by', j.held_by)
           when 'retry_due' then jsonb_build_object('next_retry_at', j.next_retry_at, 'wake_at', v_wake_at)
           when 'paused' then jsonb_build_object('paused_by', v_pause.paused_by, 'paused_at', v_pause.paused_at, 'reason', v_pause.reason, 'is_namespace', v_pause.is_namespace)
           when 'not_checked' then jsonb_build_object('wake_at', v_wake_at)
           when 'not_started' then jsonb_build_object('wake_at', v_wake_at)
           when 'ready' then jsonb_build_object('wake_at', v_wake_at)
           when 'no_server' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at)
           when 'no_handler' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at, 'handler', j.handler_key)
           when 'offered' then jsonb_build_object('namespace', v_namespace, 'offered_at', j.enqueued_at, 'servers', jsonb_array_length(v_servers),
                                                        'unclaimed_since', case j.watched when 'unclaimed' then j.watched_since end, 'taken_back_at', j.watched_until)
           else jsonb_build_object('server_uuid', j.leased_by, 'server', j.server, 'since', j.last_attempted_at, 'lease_expires_at', j.lease_expires_at,
                                   'cancel_requested_by', v_task.cancel_requested_by, 'cancel_requested_at', v_task.cancel_requested_at)
         end || jsonb_build_object('attempt', j.attempts))
  from judged j
  order by j.step_position;
end
$$;
comment on function tasker.explain_waiting(uuid, timestamptz) is
  'Why a task waits: one row for every step of an unfinished task that is not done, with a word, a sentence and the facts.';
