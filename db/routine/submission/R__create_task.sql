-- Creates and starts the task of a request that came alone: what submit_tasks does for a call with
-- one request, with statements for single rows. Setting up a statement for many rows costs several
-- times what it does for one, and most calls of a quiet installation bring one request.
-- Only the ordinary course is written here: a request that starts at once, has no parent and no
-- earlier task's identity, of a template without limits, waits, sealed members or search
-- attributes, whose first steps the caller claims all or none. Everything else, refusals and
-- duplicates among it, is left to submit_tasks. A test compares what both ways leave and answer.
-- p_request: one element of p_requests of submit_tasks.
-- Returns the reply of submit_tasks; null when it is left to it: then nothing has changed.
-- Locks: none but the new rows. Source: ADR 0078.
create or replace function tasker.create_task(
  p_request jsonb, p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_context_checked boolean, p_now timestamptz)
returns json
language plpgsql
set search_path = ''
as $$
declare
  v_context        jsonb := p_request -> 'context';
  v_version        text := p_request ->> 'version';
  v_key            text := p_request ->> 'idempotency_key';
  v_priority       int := coalesce((p_request ->> 'priority')::int, 0);
  v_task_uuid      uuid := tasker.uuid_v7();
  v_correlation_id uuid := coalesce((p_request ->> 'correlation_id')::uuid, v_task_uuid);
  v_is_claimed     boolean := p_claim_limit > 0;
  v_namespace      record;
  v_template       record;
  v_keys           uuid[];
  v_created        record;
  v_task_context   tasker.task_contexts;
  v_claimed        json[] := '{}';
begin
  if p_request ->> 'parent_task_uuid' is not null
     or p_request ->> 'start_at' is not null
     or p_request ->> 'delay_seconds' is not null
     or p_request ->> 'requested_at' is not null
     or p_request ? 'parent_step_uuid'
     or p_request ? 'tags'
     or jsonb_typeof(v_context) is distinct from 'object'
     or p_request ->> 'trace_parent'
       !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
     or v_priority not between -100 and 100 then
    return null;
  end if;
  if not p_context_checked
     and (tasker.check_document(v_context) is not null
          or jsonb_path_exists(v_context, 'strict $.**{64}')) then
    return null;
  end if;
  if v_version is null then
    v_version := tasker.get_latest_version(p_request ->> 'namespace', p_request ->> 'name');
    if v_version <> p_request ->> 'checked_for' then
      return null;
    end if;
  end if;
  -- One look-up after another, each by a key: what joins them costs several times as much.
  select ns.task_namespace_uuid, ns.priority_modifier into v_namespace
  from tasker.task_namespaces ns
  where ns.name = p_request ->> 'namespace';
  select nt.named_task_uuid, nt.version, nt.identity_strategy, nt.total_steps, nt.initial_steps,
         nt.root_steps, nt.continue_on_error,
         case when nt.output is not null then true end as has_output,
         nullif(coalesce(nt.published_lifecycle ? 'tasks', false), false) as publishes_events,
         least(nt.max_duration, nt.sla_minutes * interval '1 minute') as time_limit into v_template
  from tasker.named_tasks nt
  where nt.task_namespace_uuid = v_namespace.task_namespace_uuid
    and nt.name = p_request ->> 'name'
    and nt.version = v_version
    and nt.identity_reuse = 'never'
    and nt.search_attributes is null
    and nt.sealed is null
    and not nt.is_limited
    and not nt.has_automatic_root
    and (p_context_checked or not nt.has_input_schema)
    and (nt.identity_strategy <> 'caller_provided' or v_key is not null)
    and (not v_is_claimed or nt.root_steps <= p_claim_limit);
  if not found
     or exists (select from tasker.template_pauses p
                where p.named_task_uuid = v_template.named_task_uuid) then
    return null;
  end if;
  -- get_claimed_steps leaves documents out of a reply that would be too large.
  if v_is_claimed
     and v_template.root_steps > 1
     and v_template.root_steps::bigint * octet_length(v_context::text) > 8388608 then
    return null;
  end if;
  -- Without a row, and without a list of its handlers, the worker serves everything.
  if v_is_claimed
     and exists (select from tasker.workers w
                 where w.worker_uuid = p_server_uuid
                   and (w.served is not null
                        or w.served_version is distinct from (
                          select h.version from tasker.handler_catalog h))) then
    return null;
  end if;
  insert into tasker.tasks
    (task_uuid, named_task_uuid, correlation_id, parent_correlation_id, has_output, created_at,
     requested_at, claim_order, state, priority, transition_count, total_steps, unfinished_steps,
     in_flight_steps, continue_on_error, context_checked, identity_hash, is_keyed, initiator,
     source_system, reason, is_limited, publishes_events)
  values (v_task_uuid, v_template.named_task_uuid, v_correlation_id,
          (p_request ->> 'parent_correlation_id')::uuid, v_template.has_output, p_now, p_now,
          tasker.calculate_claim_order(p_now, v_priority + v_namespace.priority_modifier),
          'steps_in_process', v_priority, 4, v_template.initial_steps, v_template.initial_steps,
          v_template.root_steps, v_template.continue_on_error, true,
          tasker.calculate_identity_hash(
            v_template.identity_strategy, p_request ->> 'namespace', p_request ->> 'name',
            v_template.version, v_context, v_key),
          v_key is not null, p_request ->> 'initiator', p_request ->> 'source_system',
          p_request ->> 'reason', false, v_template.publishes_events)
  on conflict (identity_hash)
  where identity_hash is not null do nothing
  returning tasks as task into v_created;
  if not found then
    return null;
  end if;
  insert into tasker.task_contexts (task_uuid, context, trace_parent, submitted_by)
  values (v_task_uuid, v_context, p_request ->> 'trace_parent', p_request ->> 'submitted_by')
  returning * into v_task_context;
  insert into tasker.task_wakeups (task_uuid, wake_at)
  values (v_task_uuid,
          least(p_now + case
                  -- Recovery must not come later than the leases end that are given here.
                  when v_is_claimed then least(30, p_lease_seconds + 1) * interval '1 second'
                  else tasker.calculate_check_interval() end,
                p_now + v_template.time_limit));
  -- Keys by position: the rows and the history of a step are written by one statement each.
  v_keys := array(select tasker.uuid_v7() from generate_series(1, v_template.total_steps));
  -- The first move of a step that is not handed off is part of its task's. Before that of the
  -- others, as event streams show them: every step is created before the first is handed off.
  insert into tasker.task_moves
    (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid, born_steps)
  values (v_task_uuid, 4, null, 'steps_in_process', 'orchestrator', 'created_and_started',
          p_server_uuid,
          nullif(array(select v_keys[n.step_position]
                       from tasker.named_tasks_named_steps n
                       where n.named_task_uuid = v_template.named_task_uuid
                         and n.step_type <> 'compensation'
                         and n.growth_rank is null
                         and n.parent_positions <> '{}'),
                 '{}'));
  insert into tasker.workflow_steps
    (workflow_step_uuid, task_uuid, named_step_uuid, created_at, state, step_position,
     transition_count, total_parents, remaining_parents, handoffs, attempts, max_attempts,
     retryable, enqueued_at, last_attempted_at, lease_expires_at, leased_by, is_limited,
     is_decision, is_automatic, is_batchable, publishes_events)
  select v_keys[n.step_position], v_task_uuid, n.named_step_uuid, p_now,
         case when not r.is_root then 'pending'
              when v_is_claimed then 'in_progress'
              else 'enqueued' end::tasker.step_state,
         n.step_position, 1 + r.is_root::int + (r.is_root and v_is_claimed)::int,
         cardinality(n.parent_positions), cardinality(n.parent_positions), r.is_root::int,
         r.is_root::int, n.default_max_attempts, n.default_retryable,
         case when r.is_root then p_now end, case when r.is_root and v_is_claimed then p_now end,
         case when r.is_root and v_is_claimed then
                tasker.calculate_lease_end(p_now, p_lease_seconds) end,
         case when r.is_root and v_is_claimed then p_server_uuid end, false,
         n.step_type = 'decision',
         n.handler_callable is null or n.wait_for is not null or n.step_type = 'batch_worker',
         case when n.step_type = 'batchable' then true end,
         case when n.events is not null then true end
  from tasker.named_tasks_named_steps n
  cross join lateral (select n.parent_positions = '{}' as is_root) r
  where n.named_task_uuid = v_template.named_task_uuid
    and n.step_type <> 'compensation'
    and n.growth_rank is null;
  insert into tasker.step_moves
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
     processor_uuid)
  select v_keys[n.step_position], 2 + v_is_claimed::int, v_task_uuid, null,
         case when v_is_claimed then 'in_progress'::tasker.step_state else 'enqueued' end,
         case when v_is_claimed then 'worker'::tasker.actor else 'orchestrator' end,
         case when v_is_claimed then 'created_and_claimed'::tasker.step_path_name
              else 'created_and_offered' end,
         1, 1, p_server_uuid
  from tasker.named_tasks_named_steps n
  where n.named_task_uuid = v_template.named_task_uuid
    and n.step_type <> 'compensation'
    and n.growth_rank is null
    and n.parent_positions = '{}'
  order by n.step_position;
  if v_is_claimed then
    v_claimed := array(select tasker.format_claimed_step(
                                s, v_created.task, v_task_context, null, null)
                       from tasker.workflow_steps s
                       where s.task_uuid = v_task_uuid
                         and s.state = 'in_progress'
                       order by s.step_position);
  else
    perform tasker.send_handoffs((
      select array_agg((v_keys[n.step_position], v_task_uuid, 1, false, p_request ->> 'namespace',
                        tasker.calculate_claim_order(
                          p_now, v_priority + v_namespace.priority_modifier),
                        v_correlation_id, n.handler_key, 1,
                        n.queue_timeout_seconds)::tasker.step_handoff order by n.step_position)
      from tasker.named_tasks_named_steps n
      where n.named_task_uuid = v_template.named_task_uuid
        and n.step_type <> 'compensation'
        and n.growth_rank is null
        and n.parent_positions = '{}'));
  end if;
  return json_build_object(
    'verdicts', json_build_array(json_build_object(
      'verdict', 'created', 'task_uuid', v_task_uuid, 'state', 'steps_in_process',
      'correlation_id', v_correlation_id, 'version', v_template.version)),
    'claimed_steps', to_json(v_claimed),
    'queued', case when v_is_claimed then '[]'
                   else json_build_array(p_request ->> 'namespace') end);
end
$$;
comment on function tasker.create_task(jsonb, uuid, int, int, boolean, timestamptz) is
  'Creates and starts the task of a request that came alone, with statements for single rows.';
