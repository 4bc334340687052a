-- Templates, rules and guards that differ from what was registered and migrated: one row per
-- finding. Compares the rules with get_model_moves, because a rule added manually would permit
-- moves that no other check finds. Guards are the triggers, unique keys and checks that the engine
-- relies on, those of list_guards only where they are installed; guards of a later version are no
-- finding.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_template_violations()
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with defined_steps as materialized (
    select nt.named_task_uuid, s.ordinality::int as position, s.value as step,
           s.value ->> 'name' as name
    from tasker.named_tasks nt
    cross join lateral jsonb_array_elements(nt.configuration -> 'steps') with ordinality as s),
  -- Unfolded before the join, which would otherwise unfold the dependencies of each step once for
  -- each step of the template.
  named_parents as materialized (
    select c.named_task_uuid, c.position as child, d.name
    from defined_steps c
    cross join lateral jsonb_array_elements_text(
      coalesce(c.step -> 'dependencies', '[]')) as d(name)),
  defined_edges as materialized (
    select n.named_task_uuid, n.child, p.position as parent
    from named_parents n
    join defined_steps p on p.named_task_uuid = n.named_task_uuid and p.name = n.name),
  parents as (
    select e.named_task_uuid, e.child, array_agg(e.parent order by e.parent) as positions
    from defined_edges e
    group by 1, 2),
  children as (
    select e.named_task_uuid, e.parent, count(*)::int as children
    from defined_edges e
    group by 1, 2),
  defined as (
    select s.named_task_uuid, s.position, s.name, coalesce(p.positions, '{}') as parents,
           coalesce(c.children, 0) as children, s.step #>> '{handler,callable}' as callable,
           coalesce((s.step #>> '{retry,max_attempts}')::int, 3) as max_attempts,
           coalesce((s.step #>> '{retry,retryable}')::boolean, true) as retryable,
           (s.step ->> 'timeout_seconds')::int as timeout_seconds,
           (s.step ->> 'queue_timeout_seconds')::int as queue_timeout_seconds,
           tasker.get_handler_options(s.step) as handler_options
    from defined_steps s
    left join parents p on p.named_task_uuid = s.named_task_uuid and p.child = s.position
    left join children c on c.named_task_uuid = s.named_task_uuid and c.parent = s.position),
  kept as (
    select n.named_task_uuid, n.step_position as position, ns.name::text,
           n.parent_positions as parents, n.child_count as children,
           n.handler_callable::text as callable, n.default_max_attempts as max_attempts,
           n.default_retryable as retryable, n.timeout_seconds, n.queue_timeout_seconds,
           n.handler_options
    from tasker.named_tasks_named_steps n
    left join tasker.named_steps ns on ns.named_step_uuid = n.named_step_uuid
      and ns.named_task_uuid = n.named_task_uuid
    where n.step_type <> 'compensation'),
  totals as (
    select d.named_task_uuid, count(*) as steps, count(*) filter (where d.parents = '{}') as roots,
           count(*) filter (where n.growth_rank is null) as initials
    from defined d
    left join tasker.named_tasks_named_steps n on n.named_task_uuid = d.named_task_uuid
      and n.step_position = d.position
    group by d.named_task_uuid),
  rules as (
    select 'task' as kind, r.from_state::text, r.to_state::text, r.actor::text
    from tasker.task_transition_rules r
    union all
    select 'step', r.from_state::text, r.to_state::text, r.actor::text
    from tasker.workflow_step_transition_rules r),
  migrated_rules as (
    select m.kind, m.from_state, m.to_state, m.actor from tasker.get_model_moves() m),
  guards(table_name, guard) as (
    select m[1], m[2]
    from regexp_matches(
      $g$
      task_moves.history_is_append_only step_moves.history_is_append_only
      workflow_step_result_audit.history_is_append_only operator_actions.history_is_append_only
      named_tasks.templates_never_change named_steps.templates_never_change
      named_tasks_named_steps.templates_never_change tasks.rows_go_with_their_task
      tasks.slots_are_released_by_tasks tasks.end_is_told workflow_steps.slots_are_released_by_steps
      workflow_step_result_audit.documents_are_hashed
      workflow_step_result_audit.events_follow_results
      domain_events.one_event_per_result_and_declaration domain_events.one_event_per_position
      task_contexts.documents_are_hashed workflow_step_documents.documents_are_hashed
      task_outputs.documents_are_hashed named_tasks.documents_are_hashed
      task_signals.documents_are_hashed domain_events.documents_are_hashed
      approvals.documents_are_hashed idempotency_keys.documents_are_hashed
      named_tasks_named_steps.documents_are_hashed named_tasks_named_steps.handlers_are_recorded
      tasks.compensation_ends tasks.events_follow_moves_of_tasks
      approval_events.events_follow_approvals tasks_dlq.events_follow_dead_letters
      schedule_fires.events_follow_failed_fires schedule_fires.events_go_with_their_fire
      schedules.events_follow_pauses approvals.decided_iff_approved_or_rejected
      approvals.claim_is_whole approvals.ended_iff_not_open step_waits.one_open_wait_per_step
      task_signals.one_signal_per_number task_signals.task_signals_wait_uuid_key
      task_forks.task_forks_pkey schedules.due_no_earlier_than_its_fire_time
      schedules.queued_fire_is_rechecked webhooks.positions_go_forward
      webhook_deliveries.ended_iff_not_open webhook_deliveries.leased_iff_in_flight
      idempotency_keys.idempotency_keys_pkey tasks.tasks_pkey tasks.tasks_identity_hash_key
      tasks.one_compensation_per_child task_contexts.task_contexts_pkey
      task_wakeups.task_wakeups_pkey task_search_attributes.task_search_attributes_pkey
      workflow_steps.workflow_steps_pkey workflow_steps.one_step_per_task_and_position
      workflow_steps.one_name_per_added_step decision_outcomes.decision_outcomes_pkey
      batches.batches_pkey batches.parallelism_is_kept batches.workers_are_counted
      batches.closed_means_nothing_in_flight batch_items.batch_items_pkey
      batch_live_workers.batch_live_workers_pkey added_step_edges.added_step_edges_pkey
      workflow_step_result_audit.workflow_step_result_audit_pkey
      workflow_step_documents.workflow_step_documents_pkey tasks_dlq.one_open_investigation_per_task
      tasks_dlq.resolved_iff_not_pending schedules.schedules_pkey schedule_fires.schedule_fires_pkey
      schedule_fires.task_iff_started webhook_deliveries.webhook_deliveries_pkey
      webhook_deliveries.one_delivery_per_event concurrency_slots.concurrency_slots_pkey
      concurrency_slots.admitted_under_a_limit concurrency_slots.handed_off_means_admitted
      named_tasks.one_template_per_version named_tasks_named_steps.one_step_per_position
      named_steps.step_names_are_unique_per_template
      $g$,
      '(\w+)\.(\w+)', 'g') m
    -- All of these or none: an installation does without them by guard_tables.
    union all
    select l.table_name, l.guard
    from tasker.list_guards() l
    where exists (select from tasker.list_guards() o
                  where tasker.has_guard(o.table_name, o.guard))),
  present as (
    select c.relname::text as table_name, t.tgname::text as guard
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid and c.relnamespace = 'tasker'::regnamespace
    where t.tgenabled in ('O', 'A')
    union
    select c.relname::text, k.conname::text
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid and c.relnamespace = 'tasker'::regnamespace
    where k.contype = 'c'
    union
    select c.relname::text, i.relname::text
    from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_class c on c.oid = x.indrelid and c.relnamespace = 'tasker'::regnamespace
    where x.indisunique and x.indisvalid)
  select 'template_equals_its_definition',
         jsonb_build_object('named_task_uuid', coalesce(d.named_task_uuid, k.named_task_uuid),
                            'step_position', coalesce(d.position, k.position),
                            'defined', to_jsonb(d) - 'named_task_uuid',
                            'kept', to_jsonb(k) - 'named_task_uuid')
  from defined d
  full join kept k on k.named_task_uuid = d.named_task_uuid and k.position = d.position
  where d is distinct from k
  union all
  -- A step is downstream of a decision exactly if a parent is one, or is downstream itself, and it
  -- comes after its parents.
  select 'template_equals_its_definition',
         jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position,
                            'growth_rank', n.growth_rank)
  from tasker.named_tasks_named_steps n
  left join (select u.named_task_uuid, u.step_position, max(p.growth_rank) as last_parent,
                    bool_or(p.growth_rank is not null or p.step_type = 'decision') as is_grown
             from (select k.named_task_uuid, k.step_position, unnest(k.parent_positions) as parent
                   from tasker.named_tasks_named_steps k) u
             join tasker.named_tasks_named_steps p on p.named_task_uuid = u.named_task_uuid
               and p.step_position = u.parent
             group by u.named_task_uuid, u.step_position) p on p.named_task_uuid = n.named_task_uuid
    and p.step_position = n.step_position
  where (n.growth_rank is not null) <> coalesce(p.is_grown, false) or n.growth_rank <= p.last_parent
  union all
  -- The edges that tasks read, see workflow_step_edges.
  select 'initial_edges_are_those_of_the_template',
         jsonb_build_object('named_task_uuid', coalesce(e.named_task_uuid, t.named_task_uuid),
                            'from_position', coalesce(e.from_position, t.from_position),
                            'to_position', coalesce(e.to_position, t.to_position),
                            'in_template', t.named_task_uuid is not null)
  from tasker.named_step_edges e
  full join (select c.named_task_uuid, p.named_step_uuid as from_named_step_uuid,
                    c.parent as from_position, c.named_step_uuid as to_named_step_uuid,
                    c.step_position as to_position
             from (select n.named_task_uuid, n.named_step_uuid, n.step_position,
                          unnest(n.parent_positions) as parent
                   from tasker.named_tasks_named_steps n
                   where n.growth_rank is null and n.step_type <> 'compensation') c
             left join tasker.named_tasks_named_steps p on p.named_task_uuid = c.named_task_uuid
               and p.step_position = c.parent) t
    on t.named_task_uuid = e.named_task_uuid
    and t.from_named_step_uuid = e.from_named_step_uuid
    and t.from_position = e.from_position
    and t.to_named_step_uuid = e.to_named_step_uuid
    and t.to_position = e.to_position
  where e.named_task_uuid is null or t.named_task_uuid is null
  union all
  select 'template_equals_its_definition',
         jsonb_build_object('named_task_uuid', nt.named_task_uuid, 'total_steps', nt.total_steps,
                            'root_steps', nt.root_steps)
  from tasker.named_tasks nt
  left join totals t on t.named_task_uuid = nt.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where (nt.total_steps, nt.root_steps,
         nt.initial_steps) is distinct from (t.steps, t.roots, t.initials)
    or ns.name is distinct from nt.configuration ->> 'namespace_name'
    or nt.name is distinct from nt.configuration ->> 'name'
    or nt.version is distinct from nt.configuration ->> 'version'
    or nt.continue_on_error
      <> coalesce(nt.configuration #>> '{lifecycle,on_step_error}' = 'continue', false)
    or (nt.sla_minutes, nt.max_duration, nt.on_timeout::text)
      is distinct from ((nt.configuration #>> '{lifecycle,sla_minutes}')::int,
                        (nt.configuration #>> '{lifecycle,max_duration}')::interval,
                        coalesce(nt.configuration #>> '{lifecycle,on_timeout}', 'fail'))
    or nt.output is distinct from nullif(nt.configuration -> 'output', 'null')
    or nt.has_input_schema
      <> (jsonb_typeof(coalesce(nt.configuration -> 'input_schema', 'null')) <> 'null')
    or nt.identity_strategy::text <> coalesce(nt.configuration ->> 'identity_strategy', 'strict')
    or nt.identity_reuse::text <> coalesce(nt.configuration ->> 'reuse', 'never')
    or coalesce(nt.search_attributes, '{}')
      <> coalesce(nullif(nt.configuration -> 'search_attributes', 'null'), '{}')
    or nt.is_limited <> (jsonb_path_exists(nt.configuration, '$.concurrency[*]')
                         or jsonb_path_exists(nt.configuration, '$.steps[*].concurrency[*]'))
    or nt.has_automatic_root
      <> exists (select from jsonb_array_elements(nt.configuration -> 'steps') r
                 where coalesce(r -> 'dependencies', '[]') = '[]'
                   and (r #>> '{handler,callable}' is null
                        or r #>> '{wait}' is not null
                        or r #>> '{signal}' is not null
                        or r #>> '{approval}' is not null))
    or (nt.is_limited
        and not exists (select from tasker.named_tasks_policies u
                        where u.named_task_uuid = nt.named_task_uuid))
  union all
  select 'document_equals_its_hash', jsonb_build_object('named_task_uuid', nt.named_task_uuid)
  from tasker.named_tasks nt
  where nt.document_hash is distinct from tasker.hash_documents(nt.configuration)
  union all
  select 'document_equals_its_hash',
         jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position)
  from tasker.named_tasks_named_steps n
  where n.document_hash is distinct from tasker.hash_step_definition(n)
  union all
  select 'rules_are_those_of_this_version',
         jsonb_build_object('kind', coalesce(r.kind, m.kind),
                            'from_state', coalesce(r.from_state, m.from_state),
                            'to_state', coalesce(r.to_state, m.to_state),
                            'actor', coalesce(r.actor, m.actor), 'is_there', r.kind is not null)
  from rules r
  full join migrated_rules m on m.kind = r.kind
    and coalesce(m.from_state, 'nothing') = coalesce(r.from_state, 'nothing')
    and m.to_state = r.to_state
    and m.actor = r.actor
  where r.kind is null or m.kind is null
  union all
  select 'guards_are_in_place', jsonb_build_object('table', g.table_name, 'guard', g.guard)
  from guards g
  left join present p on p.table_name = g.table_name and p.guard = g.guard
  where p.guard is null
$$;
comment on function tasker.find_template_violations() is
  'Templates, rules and guards that differ from what was registered and migrated: one row per '
  'finding.';
