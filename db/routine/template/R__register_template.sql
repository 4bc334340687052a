-- Registers a template from its normal form (docs/templates.md) with content_hash and source_text
-- beside its keys. The same content again is a no-op, other content under the same key is refused;
-- the namespace and its queue are made when they are new. Validation is the caller's: here only
-- what the tables themselves refuse.
-- A namespace whose name differs from another's only in case is refused: the two would share one
-- queue.
-- Returns {outcome: registered | unchanged | conflict | namespace_taken, template_uuid, message}:
-- the last two keys where they say something.
-- Errors: TK007 when it is not in that form.
-- Locks: the unique key of the template.
create or replace function tasker.register_template(p_template jsonb)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_nestloop = off
as $$
declare
  v_namespace  text := p_template ->> 'namespace_name';
  v_ns_uuid    uuid;
  v_uuid       uuid;
  v_known      tasker.named_tasks;
  v_other      text;
  v_grown      int[];
begin
  if not coalesce(jsonb_typeof(p_template) = 'object', false)
     or p_template ->> 'namespace_name' is null
     or p_template ->> 'name' is null
     or p_template ->> 'version' is null
     or p_template ->> 'content_hash' is null
     or not coalesce(jsonb_typeof(p_template -> 'steps') = 'array', false)
     or not coalesce(jsonb_path_exists(p_template, '$.steps[0]'), false)
     or jsonb_path_exists(
       p_template,
       '$.steps[*] ? (!(exists(@.name) && (exists(@.handler.callable) || exists(@.rules[0]) '
       '|| exists(@.wait.for) || exists(@.wait.until) || exists(@.signal.name) || '
       'exists(@.approval.title) || exists(@.task.name) || exists(@.batch_config.items))))') then
    raise exception 'p_template must be a template in its normal form, with namespace_name, name, '
                    'version, content_hash, and steps that have a name and a handler, rules, '
                    'items, a wait or a child task'
      using errcode = 'TK007',
        hint = 'A server reads YAML and JSON, checks it and registers it: POST /v1/templates.';
  end if;
  insert into tasker.task_namespaces (name) values (v_namespace) on conflict do nothing;
  -- Shared, so that a pause of the namespace comes before or after the whole registration.
  select ns.task_namespace_uuid into v_ns_uuid
  from tasker.task_namespaces ns
  where ns.name = v_namespace for share;
  if v_ns_uuid is null then
    select ns.name into v_other
    from tasker.task_namespaces ns
    where lower(ns.name) = lower(v_namespace);
    return jsonb_build_object(
      'outcome', 'namespace_taken',
      'message', format(
        'namespace %s differs only in case from namespace %s, and both would have one queue',
        v_namespace, v_other));
  end if;

  -- What the engine relies on, whichever reader made the template.
  -- Joined by their dependencies, and not searched for each worker: both may be thousands.
  select w.name into v_other
  from (select s.value ->> 'name' as name, s.value -> 'dependencies' as dependencies,
               count(*) over (partition by s.value -> 'dependencies') as workers
        from jsonb_array_elements(p_template -> 'steps') as s
        where s.value ->> 'type' = 'batch_worker') w
  left join (select jsonb_build_array(b.value -> 'name') as dependencies
             from jsonb_array_elements(p_template -> 'steps') as b
             where b.value ->> 'type' = 'batchable') b on b.dependencies = w.dependencies
  where b.dependencies is null or w.workers > 1
  limit 1;
  if v_other is not null then
    raise exception 'batch_worker % must depend on one batchable step and on nothing else, and be '
                    'its only batch_worker', v_other
      using errcode = 'TK007';
  end if;

  if jsonb_path_exists(p_template, '$.steps[*] ? (@.type == "decision")') then
    v_grown := tasker.rank_grown_steps(p_template -> 'steps');
  end if;

  insert into tasker.named_tasks
    (task_namespace_uuid, name, version, description, configuration, source_text, content_hash,
     identity_strategy, identity_reuse, search_attributes, output, has_input_schema, sealed,
     total_steps,
     initial_steps, root_steps, continue_on_error, sla_minutes, max_duration, on_timeout,
     is_limited, has_automatic_root)
  values (v_ns_uuid, p_template ->> 'name', p_template ->> 'version', p_template ->> 'description',
          p_template - array['source_text', 'content_hash'], p_template ->> 'source_text',
          p_template ->> 'content_hash',
          coalesce((p_template ->> 'identity_strategy')::tasker.identity_strategy, 'strict'),
          coalesce((p_template ->> 'reuse')::tasker.identity_reuse, 'never'),
          nullif(nullif(p_template -> 'search_attributes', 'null'), '{}'),
          nullif(p_template -> 'output', 'null'),
          jsonb_typeof(coalesce(p_template -> 'input_schema', 'null')) <> 'null',
          tasker.read_sealing(p_template),
          jsonb_array_length(p_template -> 'steps'),
          jsonb_array_length(p_template -> 'steps') - coalesce(cardinality(v_grown), 0),
          (select count(*)
           from jsonb_array_elements(p_template -> 'steps') s
           where coalesce(s -> 'dependencies', '[]') = '[]'),
          coalesce(p_template #>> '{lifecycle,on_step_error}' = 'continue', false),
          (p_template #>> '{lifecycle,sla_minutes}')::int,
          (p_template #>> '{lifecycle,max_duration}')::interval,
          coalesce((p_template #>> '{lifecycle,on_timeout}')::tasker.timeout_action, 'fail'),
          jsonb_path_exists(p_template, '$.concurrency[*]')
            or jsonb_path_exists(p_template, '$.steps[*].concurrency[*]'),
          exists (select from jsonb_array_elements(p_template -> 'steps') s
                  where coalesce(s -> 'dependencies', '[]') = '[]'
                    and (s #>> '{handler,callable}' is null
                         or s #>> '{wait}' is not null
                         or s #>> '{signal}' is not null
                         or s #>> '{approval}' is not null)))
  on conflict (task_namespace_uuid, name, version) do nothing
  returning named_task_uuid into v_uuid;

  if v_uuid is null then
    select * into v_known
    from tasker.named_tasks n
    where n.task_namespace_uuid = v_ns_uuid
      and n.name = p_template ->> 'name'
      and n.version = p_template ->> 'version';
    return jsonb_build_object(
      'outcome', case when v_known.content_hash = p_template ->> 'content_hash' then 'unchanged'
                      else 'conflict' end,
      'template_uuid', v_known.named_task_uuid);
  end if;

  insert into tasker.named_steps (named_task_uuid, name, description)
  select v_uuid, s.value ->> 'name', s.value ->> 'description'
  from jsonb_array_elements(p_template -> 'steps') with ordinality as s
  order by s.ordinality;

  insert into tasker.named_tasks_named_steps
    (named_task_uuid, named_step_uuid, step_position, parent_positions, child_count, step_type,
     handler_callable, handler_method, handler_resolver, initialization, result_schema,
     default_retryable, default_max_attempts, backoff, backoff_base_ms, max_backoff_ms,
     timeout_seconds, queue_timeout_seconds, on_worker_lost, growth_rank, runs_on_none, rules,
     wait_for, batch, events, sealed, handler_options)
  with steps as materialized (
    select s.ordinality::int as position, s.value ->> 'name' as name, s.value as step
    from jsonb_array_elements(p_template -> 'steps') with ordinality as s),
  edges as materialized (
    select child.position as child_position, parent.position as parent_position
    from steps child
    cross join lateral jsonb_array_elements_text(
      coalesce(child.step -> 'dependencies', '[]')) as d(name)
    join steps parent on parent.name = d.name),
  -- Grouped once and not looked up per step: a template may have ten thousand steps, and as many
  -- edges into one of them.
  parents as (
    select e.child_position, array_agg(e.parent_position order by e.parent_position) as positions
    from edges e
    group by e.child_position),
  children as (
    select e.parent_position, count(*)::int as children from edges e group by e.parent_position)
  select v_uuid, n.named_step_uuid, s.position, coalesce(parents.positions, '{}'),
         coalesce(children.children, 0), coalesce(s.step ->> 'type', 'standard'),
         s.step #>> '{handler,callable}', coalesce(s.step #>> '{handler,method}', 'call'),
         s.step #>> '{handler,resolver}',
         coalesce(nullif(s.step #> '{handler,initialization}', 'null'), '{}'),
         nullif(s.step -> 'result_schema', 'null'),
         coalesce((s.step #>> '{retry,retryable}')::boolean, true),
         coalesce((s.step #>> '{retry,max_attempts}')::int, 3),
         coalesce((s.step #>> '{retry,backoff}')::tasker.backoff_kind, 'exponential'),
         coalesce((s.step #>> '{retry,backoff_base_ms}')::int, 1000),
         coalesce((s.step #>> '{retry,max_backoff_ms}')::int, 60000),
         (s.step ->> 'timeout_seconds')::int, (s.step ->> 'queue_timeout_seconds')::int,
         coalesce((s.step #>> '{retry,on_worker_lost}')::tasker.lost_worker_policy, 'reschedule'),
         g.rank, coalesce(s.step ->> 'on_none' = 'run', false),
         case when jsonb_path_exists(s.step, '$.rules[0]') then jsonb_build_object(
                'rules', s.step -> 'rules',
                'otherwise', coalesce(nullif(s.step -> 'otherwise', 'null'), '[]')) end,
         case
           when s.step #>> '{wait}' is not null then '{"kind": "timer"}' || (s.step -> 'wait')
           when s.step #>> '{signal}' is not null then '{"kind": "signal"}' || (s.step -> 'signal')
           when s.step #>> '{approval}' is not null then
             '{"kind": "approval"}' || (s.step -> 'approval')
           when s.step #>> '{task}' is not null then
             jsonb_build_object('kind', 'child', 'namespace', v_namespace,
                                'context', '{}'::jsonb) || (s.step -> 'task') end,
         case s.step ->> 'type'
           when 'batchable' then jsonb_build_object(
             'items', s.step #> '{batch_config,items}',
             'cursor_field', coalesce(s.step #> '{batch_config,cursor_field}', '"id"'),
             'batch_size', coalesce(s.step #> '{batch_config,batch_size}', '1'))
           when 'batch_worker' then jsonb_build_object(
             'parallelism', coalesce(c.config -> 'parallelism', '10'),
             'failure_strategy', coalesce(c.config -> 'failure_strategy', '"continue_on_failure"'),
             'tolerate', case c.config ->> 'failure_strategy' when 'fail_fast' then '0'
                              when 'isolate' then coalesce(c.config -> 'tolerate', '0') end) end,
         tasker.get_event_definitions(p_template -> 'domain_events', s.step -> 'publishes_events'),
         tasker.read_sealed_places(coalesce(
           nullif(s.step -> 'result_schema', 'null'), s.step #> '{signal,schema}',
           s.step #> '{approval,form}')),
         tasker.get_handler_options(s.step)
  from steps s
  join tasker.named_steps n on n.named_task_uuid = v_uuid and n.name = s.name
  left join parents on parents.child_position = s.position
  left join children on children.parent_position = s.position
  left join unnest(v_grown) with ordinality as g(position, rank) on g.position = s.position
  -- Of a worker: its own, or that of its batchable step. A join that can be hashed, and no lateral
  -- one, which would read all steps for each.
  left join steps b on s.step ->> 'type' = 'batch_worker' and b.name = s.step #>> '{dependencies,0}'
  cross join lateral (select coalesce(nullif(s.step -> 'batch_config', 'null'),
                                      nullif(b.step -> 'batch_config', 'null')) as config) c;

  insert into tasker.named_step_edges
    (named_task_uuid, from_named_step_uuid, from_position, to_named_step_uuid, to_position)
  select v_uuid, p.named_step_uuid, p.step_position, c.named_step_uuid, c.step_position
  from (select n.named_step_uuid, n.step_position, unnest(n.parent_positions) as parent_position
        from tasker.named_tasks_named_steps n
        where n.named_task_uuid = v_uuid and n.growth_rank is null) c
  join tasker.named_tasks_named_steps p on p.named_task_uuid = v_uuid
    and p.step_position = c.parent_position;

  perform tasker.register_compensations(v_uuid, p_template -> 'steps');
  perform tasker.register_policies(v_uuid, p_template);
  insert into tasker.template_pauses
    (named_task_uuid, is_namespace, paused_at, paused_by, claimed_actor, reason)
  select v_uuid, true, ns.paused_at, ns.paused_by, ns.pause_claimed_actor, ns.pause_reason
  from tasker.task_namespaces ns
  where ns.task_namespace_uuid = v_ns_uuid and ns.paused_at is not null;
  perform tasker.ensure_task_queue(tasker.worker_queue(v_namespace));
  return jsonb_build_object('outcome', 'registered', 'template_uuid', v_uuid);
end
$$;
comment on function tasker.register_template(jsonb) is
  'Registers a template from its normal form; the same content again is a no-op, other content is '
  'refused.';
