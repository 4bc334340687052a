-- Creates any number of tasks, each whole or not at all, and starts them: roots are handed off in
-- the same transaction, the first p_claim_limit of them straight to p_server_uuid.
-- p_requests: array of {namespace, name, version?, context, initiator?, source_system?, reason?,
-- tags?, priority?, correlation_id?, parent_correlation_id?, parent_task_uuid?, requested_at?,
-- idempotency_key?, trace_parent?, submitted_by?, parent_namespaces?, start_at?, delay_seconds?,
-- parent_step_uuid?, checked_for?}. parent_step_uuid is for pass_child_waits only. start_at, an
-- instant with an offset, or delay_seconds, up to ten years, delay the start: the task stays
-- pending until then; they are no part of its identity. Without a version it is the one of
-- get_latest_version; where checked_for names another, which the caller took for the latest when it
-- checked the context, the request is superseded. Treats a parent outside parent_namespaces, where
-- they are given, as unknown. p_start false leaves the tasks pending for an orchestrator; tasks of
-- a paused template stay pending too. p_context_checked declares that the caller has validated the
-- contexts against the input schemas; otherwise a task of a template with a schema stays pending
-- until a server has validated it. So does a task whose first steps wait has them armed here. So
-- does a task under a concurrency policy until an orchestrator, in a transaction of its own, has
-- asked for its slots: the caller's transaction never holds a gate.
-- The first request with the identity of an ended task takes the identity over if the template's
-- reuse allows it: after_failure from error or cancelled, after_end from any terminal state. If an
-- operator restarts the task at the same time, the transaction that locks the row first wins. A
-- context whose search attributes cannot be stored (extract_search_attributes) is invalid in the
-- field context.<path>; one with a value in clear that the template seals is in context/<pointer>.
-- Returns {verdicts: [{verdict, task_uuid?, state?, correlation_id?, version?, replaces_task_uuid?,
-- field?, message?}] in the order of the requests, claimed_steps (for pass_child_waits their uuids
-- alone: its callers read them), queued}; verdict is created, duplicate (task_uuid is the existing
-- task), unknown_template, invalid or superseded.
-- Locks: the named parents, shared, by uuid; the ended tasks whose identity is taken over, then
-- identity hashes, both in the order of the hashes, so that two batches with the same requests
-- cannot deadlock.
-- Source: ADR 0028, ADR 0100.
create or replace function tasker.submit_tasks(
  p_requests        jsonb,
  p_server_uuid     uuid        default null,
  p_claim_limit     int         default 0,
  p_lease_seconds   int         default 60,
  p_start           boolean     default true,
  p_context_checked boolean     default false,
  p_now             timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now         timestamptz := coalesce(p_now, clock_timestamp());
  v_accepted    tasker.task_request[];
  v_refused     jsonb;
  v_created     uuid[];
  v_handoffs    tasker.step_handoff[];
  v_verdicts    jsonb;
  v_parents     jsonb := '{}';
  v_latest      jsonb;
  v_have_parents  boolean;
  v_are_children  boolean;
  v_lack_versions boolean;
  v_reuses      boolean;
  v_is_searched boolean;
  v_has_waits   boolean;
  v_replaced    jsonb;
  v_waiting     uuid[];
  v_evaluated   jsonb;
  v_reply       json;
begin
  -- Most calls of a quiet installation bring one request.
  if p_start and jsonb_typeof(p_requests) = 'array' and jsonb_array_length(p_requests) = 1 then
    v_reply := tasker.create_task(
      p_requests -> 0, p_server_uuid, p_claim_limit, p_lease_seconds, p_context_checked, v_now);
    if v_reply is not null then
      return v_reply;
    end if;
  end if;
  select bool_or(r ->> 'parent_task_uuid' is not null), bool_or(r ->> 'version' is null),
         bool_or(r ? 'parent_step_uuid') into v_have_parents, v_lack_versions, v_are_children
  from jsonb_array_elements(p_requests) r;
  -- Once for each template: its versions are compared with each other.
  if v_lack_versions then
    select jsonb_object_agg(jsonb_build_array(g.namespace, g.name)::text,
                            tasker.get_latest_version(g.namespace, g.name)) into v_latest
    from (select distinct r ->> 'namespace' as namespace, r ->> 'name' as name
          from jsonb_array_elements(p_requests) r
          where r ->> 'version' is null) g;
  end if;
  -- A parent that is being cancelled with its children must not get another behind the back of who
  -- cancels them.
  if v_have_parents then
    with asked as materialized (
      select distinct (r ->> 'parent_task_uuid')::uuid as task_uuid,
             r -> 'parent_namespaces' as namespaces
      from jsonb_array_elements(p_requests) r
      where r ->> 'parent_task_uuid' is not null)
    select coalesce(jsonb_object_agg(p.task_uuid, p.namespace), '{}') into v_parents
    from (select t.task_uuid, t.cancel_children, ns.name as namespace
          from asked a
          join tasker.tasks t on t.task_uuid = a.task_uuid
          join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
          join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
          -- Also not to wait for a task that the caller has no business with.
          where coalesce(a.namespaces ? ns.name, true)
          order by t.task_uuid for share of t) p
    where not coalesce(p.cancel_children, false);
  end if;

  -- The verdicts that are known before any row is written.
  with given as (
    select r.ordinality::int as request_position, r.value as request,
           r.value ->> 'namespace' as namespace, nt.version::text as version, nt.named_task_uuid,
           nt.identity_strategy, nt.identity_reuse, nt.has_input_schema, nt.search_attributes,
           nt.sealed, nt.has_automatic_root, ns.priority_modifier
    from jsonb_array_elements(p_requests) with ordinality as r
    left join tasker.task_namespaces ns on ns.name = r.value ->> 'namespace'
    left join tasker.named_tasks nt on nt.task_namespace_uuid = ns.task_namespace_uuid
      and nt.name = r.value ->> 'name'
      and nt.version = coalesce(
        r.value ->> 'version',
        v_latest ->> jsonb_build_array(r.value ->> 'namespace', r.value ->> 'name')::text)),
  judged as (
    select g.*,
           coalesce(
             case when g.request ->> 'version' is null
                    and g.version <> g.request ->> 'checked_for' then
                    jsonb_build_object('verdict', 'superseded') end,
             tasker.judge_task_request(
               g.request, g.namespace, g.named_task_uuid, g.identity_strategy, v_parents,
               p_context_checked, v_now),
             case when g.sealed is not null then (
               select jsonb_build_object('verdict', 'invalid', 'field', u.refusal -> 'field',
                                         'message', (u.refusal ->> 'field') || ' '
                                                    || (u.refusal ->> 'message'))
               from (select tasker.refuse_unsealed(
                              g.request -> 'context', g.sealed -> 'context',
                              'context') as refusal) u
               where u.refusal is not null) end,
             case when g.search_attributes is not null then (
               select jsonb_build_object('verdict', 'invalid', 'field', 'context.' || a.path,
                                         'message', format('context.%s %s', a.path, a.complaint))
               from tasker.extract_search_attributes(g.search_attributes, g.request -> 'context') a
               where a.complaint is not null
               order by a.name limit 1) end) as refusal
    from given g)
  select array_agg((j.request_position, tasker.uuid_v7(), j.named_task_uuid,
                    tasker.calculate_identity_hash(
                      j.identity_strategy, j.namespace, j.request ->> 'name', j.version,
                      j.request -> 'context', j.request ->> 'idempotency_key'),
                    tasker.calculate_claim_order(
                      v_now, coalesce((j.request ->> 'priority')::int, 0) + j.priority_modifier),
                    p_context_checked or not j.has_input_schema,
                    j.request)::tasker.task_request) filter (where j.refusal is null),
         jsonb_object_agg(j.request_position, j.refusal) filter (where j.refusal is not null),
         bool_or(j.identity_reuse <> 'never'), bool_or(j.search_attributes is not null),
         bool_or(j.has_automatic_root)
    into v_accepted, v_refused, v_reuses, v_is_searched, v_has_waits
  from judged j;

  if v_reuses then
    with first_requests as (
      select distinct on (a.identity_hash) a.identity_hash, a.task_uuid, nt.identity_reuse
      from unnest(v_accepted) a
      join tasker.named_tasks nt on nt.named_task_uuid = a.named_task_uuid
      where nt.identity_reuse <> 'never' and a.identity_hash is not null
      order by a.identity_hash, a.request_position),
    -- Checked again under the lock: an operator may have restarted the task, or another request may
    -- have replaced it meanwhile.
    ended_holders as materialized (
      select t.task_uuid, f.task_uuid as successor_uuid
      from first_requests f
      join tasker.tasks t on t.identity_hash = f.identity_hash
      where t.completed_at is not null
        and (f.identity_reuse = 'after_end' or t.state in ('error', 'cancelled'))
      order by t.identity_hash
      for no key update of t),
    released as (
      update tasker.tasks t
      set identity_hash = null, former_identity_hash = t.identity_hash,
          replaced_by_task_uuid = e.successor_uuid
      from ended_holders e
      where t.task_uuid = e.task_uuid
      returning t.task_uuid, t.replaced_by_task_uuid)
    select jsonb_object_agg(r.replaced_by_task_uuid, r.task_uuid) into v_replaced from released r;
  end if;

  with paused as materialized (
    select array(select p.named_task_uuid from tasker.template_pauses p) as uuids),
  created as (
    insert into tasker.tasks
      (task_uuid, named_task_uuid, correlation_id, parent_correlation_id, parent_task_uuid,
       parent_step_uuid, has_output, created_at, requested_at, claim_order, state, priority,
       transition_count, total_steps, unfinished_steps, in_flight_steps, continue_on_error,
       context_checked, identity_hash, is_keyed, start_at, is_delayed, replaces_task_uuid,
       initiator, source_system, reason, tags, is_limited, publishes_events)
    select a.task_uuid, a.named_task_uuid,
           coalesce((a.request ->> 'correlation_id')::uuid, a.task_uuid),
           (a.request ->> 'parent_correlation_id')::uuid, (a.request ->> 'parent_task_uuid')::uuid,
           (a.request ->> 'parent_step_uuid')::uuid, case when nt.output is not null then true end,
           v_now, coalesce((a.request ->> 'requested_at')::timestamptz, v_now), a.claim_order,
           case when s.starts then 'steps_in_process' else 'pending' end::tasker.task_state,
           coalesce((a.request ->> 'priority')::int, 0), case when s.starts then 4 else 1 end,
           nt.initial_steps, nt.initial_steps, case when s.starts then nt.root_steps else 0 end,
           nt.continue_on_error, a.context_checked, a.identity_hash,
           a.request ->> 'idempotency_key' is not null, d.start_at,
           coalesce(d.start_at > v_now, false), (v_replaced ->> a.task_uuid::text)::uuid,
           a.request ->> 'initiator', a.request ->> 'source_system', a.request ->> 'reason',
           nullif(a.request -> 'tags', 'null'), nt.is_limited,
           nullif(coalesce(nt.published_lifecycle ? 'tasks', false), false)
    from unnest(v_accepted) a
    join tasker.named_tasks nt on nt.named_task_uuid = a.named_task_uuid
    cross join paused
    -- The planner repeats the expression wherever it stands: most requests have neither.
    cross join lateral (select case when a.request ->> 'start_at' is not null then
                                      tasker.parse_instant(a.request -> 'start_at')
                                    when a.request ->> 'delay_seconds' is not null then
                                      v_now + (a.request ->> 'delay_seconds')::int
                                      * interval '1 second' end as start_at) d
    cross join lateral (select p_start
                               and a.context_checked
                               and not nt.is_limited
                               and not nt.has_automatic_root
                               and coalesce(d.start_at <= v_now, true)
                               and a.named_task_uuid <> all (paused.uuids) as starts) s
    order by a.identity_hash, a.request_position
    on conflict (identity_hash)
    where identity_hash is not null do nothing
    returning task_uuid)
  select coalesce(array_agg(c.task_uuid), '{}') into v_created from created c;

  if cardinality(v_created) > 0 then
    insert into tasker.task_contexts (task_uuid, context, trace_parent, submitted_by)
    select a.task_uuid, a.request -> 'context', a.request ->> 'trace_parent',
           a.request ->> 'submitted_by'
    from unnest(v_accepted) a
    -- Without a look at tasks: while their statistics are young, the planner would read all of a
    -- template for each.
    where a.task_uuid = any (v_created);
    if v_is_searched then
      perform tasker.write_search_attributes(v_created);
    end if;
    v_handoffs := tasker.create_steps(
      v_created, p_server_uuid, p_claim_limit, p_lease_seconds, v_now);
    -- create_steps claims up to p_claim_limit, and none whose handler only other servers have.
    if exists (select from unnest(v_handoffs) h where not h.is_claimed) then
      perform tasker.send_handoffs(v_handoffs);
    end if;
    if v_has_waits and p_start then
      select array_agg(t.task_uuid order by t.task_uuid) into v_waiting
      from tasker.tasks t
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      where t.task_uuid = any (v_created) and nt.has_automatic_root and not nt.is_limited;
      if v_waiting is not null then
        v_evaluated := tasker.evaluate_tasks(v_waiting, p_server_uuid, 0, p_lease_seconds, v_now);
      end if;
    end if;
  end if;

  select jsonb_agg(v.verdict order by v.request_position) into v_verdicts
  from (select a.request_position,
               case when c.task_uuid is not null then jsonb_build_object(
                      'verdict', 'created', 'task_uuid', c.task_uuid, 'state', c.state,
                      'correlation_id', c.correlation_id, 'version', c.version) || case
                      when c.replaces_task_uuid is null then '{}'
                      else jsonb_build_object('replaces_task_uuid', c.replaces_task_uuid) end
                    else (select jsonb_build_object(
                                   'verdict', 'duplicate', 'task_uuid', t.task_uuid,
                                   'state', t.state, 'correlation_id', t.correlation_id,
                                   'version', (select nt.version
                                               from tasker.named_tasks nt
                                               where nt.named_task_uuid = t.named_task_uuid))
                          from tasker.tasks t
                          where t.identity_hash = a.identity_hash) end as verdict
        from unnest(v_accepted) a
        -- The offset keeps the planner from reading all tasks of the template first.
        left join lateral (select t.task_uuid, t.state, t.correlation_id, t.replaces_task_uuid,
                                  (select nt.version
                                   from tasker.named_tasks nt
                                   where nt.named_task_uuid = t.named_task_uuid) as version
                           from tasker.tasks t
                           where t.task_uuid = a.task_uuid offset 0) c on true
        union all
        select r.key::int, r.value from jsonb_each(coalesce(v_refused, '{}')) r) v;

  return json_build_object(
    'verdicts', coalesce(v_verdicts, '[]'),
    'claimed_steps', case
      when p_claim_limit <= 0 then '[]'
      when v_are_children then
        (select coalesce(json_agg(h.step_uuid), '[]') from unnest(v_handoffs) h where h.is_claimed)
      else tasker.get_claimed_steps(
        array(select h.step_uuid from unnest(v_handoffs) h where h.is_claimed)) end,
    'queued', (select coalesce(jsonb_agg(distinct q.namespace), '[]')
               from (select to_jsonb(h.namespace) as namespace
                     from unnest(v_handoffs) h
                     where not h.is_claimed
                     union all
                     select jsonb_array_elements(v_evaluated -> 'queued')) q));
end
$$;
comment on function tasker.submit_tasks(jsonb, uuid, int, int, boolean, boolean, timestamptz) is
  'Creates any number of tasks, each whole or not at all, and starts them.';
