-- What operators and templates have set and other rows follow from: policies that no template
-- declares, slots under another key, pauses without their action, bulk actions without their tasks,
-- single rows that are gone. One row per finding. p_since restricts none of it: these are few, and
-- what is wrong there concerns new tasks as well. Without nested loops: where statistics are
-- missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0013, ADR 0015, docs/reference/invariants.md.
create or replace function tasker.find_setting_violations()
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with declared as materialized (
    select nt.named_task_uuid, nt.created_at, ns.name::text as namespace_name,
           nt.name::text as template_name, d.step_position, d.step_name,
           coalesce(d.policy ->> 'counts',
                    case when d.step_position = 0 then 'tasks' else 'steps' end) as counts,
           d.policy ->> 'key' as key_pointer,
           coalesce(d.policy ->> 'when_full', 'queue') as when_full,
           (d.policy ->> 'limit')::int as template_limit
    from tasker.named_tasks nt
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    cross join lateral (
      select 0 as step_position, null::text as step_name, c.value as policy
      from jsonb_array_elements(coalesce(nt.configuration -> 'concurrency', '[]')) c
      union all
      select s.ordinality::int, s.value ->> 'name', c.value
      from jsonb_array_elements(nt.configuration -> 'steps') with ordinality as s
      cross join lateral jsonb_array_elements(coalesce(s.value -> 'concurrency', '[]')) c) d
    where nt.is_limited),
  policies as materialized (
    select p.policy_uuid, p.namespace_name::text, p.template_name::text, p.step_name::text,
           p.counts::text, p.key_pointer::text, p.when_full::text, p.template_limit
    from tasker.concurrency_policies p),
  given as materialized (
    select d.*, p.policy_uuid, max(d.created_at) over (partition by p.policy_uuid) as last_at
    from declared d
    left join policies p on p.namespace_name = d.namespace_name
      and p.template_name = d.template_name
      and p.counts = d.counts
      and coalesce(p.step_name, '') = coalesce(d.step_name, '')
      and coalesce(p.key_pointer, '') = coalesce(d.key_pointer, '')),
  webhook_actions as (
    select distinct on (a.details ->> 'webhook_uuid') a.details ->> 'webhook_uuid' as uuid, a.action
    from tasker.operator_actions a
    where a.action in ('pause_webhook', 'resume_webhook', 'delete_webhook')
    order by a.details ->> 'webhook_uuid', a.acted_at desc, a.action_uuid desc),
  schedule_actions as (
    select distinct on (a.details ->> 'schedule_uuid') a.details ->> 'schedule_uuid' as uuid,
           a.action
    from tasker.operator_actions a
    where a.action in ('pause_schedule', 'resume_schedule', 'delete_schedule')
    order by a.details ->> 'schedule_uuid', a.acted_at desc, a.action_uuid desc)
  select 'policy_is_that_of_its_template',
         jsonb_build_object('named_task_uuid', g.named_task_uuid, 'step_position', g.step_position,
                            'policy_uuid', g.policy_uuid, 'is_followed', u.policy_uuid is not null)
  from given g
  left join tasker.named_tasks_policies u on u.named_task_uuid = g.named_task_uuid
    and u.step_position = g.step_position
    and u.policy_uuid = g.policy_uuid
  where g.policy_uuid is null or u.policy_uuid is null
  union all
  select 'policy_is_that_of_its_template',
         jsonb_build_object('named_task_uuid', u.named_task_uuid, 'step_position', u.step_position,
                            'policy_uuid', u.policy_uuid)
  from tasker.named_tasks_policies u
  left join given g on g.named_task_uuid = u.named_task_uuid
    and g.step_position = u.step_position
    and g.policy_uuid = u.policy_uuid
  where g.policy_uuid is null
  union all
  -- The limit of the version that was registered last; of two that were registered at the same
  -- time, of either.
  select 'policy_is_that_of_its_template',
         jsonb_build_object('policy_uuid', p.policy_uuid, 'template_limit', p.template_limit,
                            'when_full', p.when_full, 'in_templates', l.declared)
  from policies p
  left join (select g.policy_uuid,
                    jsonb_agg(distinct jsonb_build_array(g.template_limit, g.when_full)) as declared
             from given g
             where g.created_at >= g.last_at - interval '1 minute'
             group by g.policy_uuid) l on l.policy_uuid = p.policy_uuid
  -- One of templates that were deleted stays.
  where not l.declared @> jsonb_build_array(jsonb_build_array(p.template_limit, p.when_full))
  union all
  select 'slot_has_the_key_of_its_task',
         jsonb_build_object('holder_uuid', s.holder_uuid, 'policy_uuid', s.policy_uuid,
                            'task_uuid', s.task_uuid)
  from tasker.concurrency_slots s
  join policies p on p.policy_uuid = s.policy_uuid
  join tasker.task_contexts c on c.task_uuid = s.task_uuid
  where s.key <> tasker.calculate_slot_key(c.context, p.key_pointer)
  union all
  select 'slot_has_the_key_of_its_task',
         jsonb_build_object('release_id', r.release_id, 'policy_uuid', r.policy_uuid)
  from tasker.concurrency_releases r
  left join policies p on p.policy_uuid = r.policy_uuid
  where p.policy_uuid is null
  union all
  -- The engine pauses a webhook itself, and records nothing but the reason.
  select 'pause_is_that_of_its_action',
         jsonb_build_object('webhook_uuid', w.webhook_uuid, 'paused_by', w.paused_by,
                            'deleted_at', w.deleted_at, 'last_action', a.action)
  from tasker.webhooks w
  left join webhook_actions a on a.uuid = w.webhook_uuid::text
  where (w.deleted_at is not null) <> coalesce(a.action = 'delete_webhook', false)
    or w.deleted_at is null
      and (w.paused_at is null and a.action = 'pause_webhook'
           or w.paused_by <> 'tasker' and a.action is distinct from 'pause_webhook')
  union all
  select 'pause_is_that_of_its_action',
         jsonb_build_object('schedule_uuid', s.schedule_uuid, 'paused_by', s.paused_by,
                            'deleted_at', s.deleted_at, 'last_action', a.action)
  from tasker.schedules s
  left join schedule_actions a on a.uuid = s.schedule_uuid::text
  where (s.deleted_at is not null) <> coalesce(a.action = 'delete_schedule', false)
    or s.deleted_at is null
      and (s.paused_at is not null) <> coalesce(a.action = 'pause_schedule', false)
  union all
  -- Of a namespace: each of its templates, also those registered since.
  select 'pause_is_that_of_its_action',
         jsonb_build_object('namespace', ns.name, 'named_task_uuid', nt.named_task_uuid,
                            'paused_at', ns.paused_at, 'template_paused_at', p.paused_at)
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.template_pauses p on p.named_task_uuid = nt.named_task_uuid and p.is_namespace
  where p.paused_at is distinct from ns.paused_at
  union all
  select 'pause_is_that_of_its_action',
         jsonb_build_object('named_task_uuid', p.named_task_uuid, 'paused_at', p.paused_at,
                            'is_namespace', p.is_namespace)
  from tasker.template_pauses p
  left join tasker.named_tasks nt on nt.named_task_uuid = p.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join (select distinct a.namespace, a.acted_at
             from tasker.operator_actions a
             where a.action = 'pause') a on a.namespace = ns.name and a.acted_at = p.paused_at
  where a.namespace is null
  union all
  -- The last word about a name: a pause of it, or of one of its versions that was there.
  select 'pause_is_that_of_its_action',
         jsonb_build_object('named_task_uuid', nt.named_task_uuid, 'last_action', a.action,
                            'acted_at', a.acted_at)
  from (select distinct on (o.namespace, o.template_name) o.namespace, o.template_name,
               o.template_version, o.action, o.acted_at
        from tasker.operator_actions o
        where o.action in ('pause', 'resume') and o.template_name is not null
        order by o.namespace, o.template_name, o.acted_at desc, o.action_uuid desc) a
  join tasker.task_namespaces ns on ns.name = a.namespace
  join tasker.named_tasks nt on nt.task_namespace_uuid = ns.task_namespace_uuid
    and nt.name = a.template_name
    and nt.created_at < a.acted_at - interval '1 minute'
    and (a.template_version is null or nt.version = a.template_version)
  left join tasker.template_pauses p on p.named_task_uuid = nt.named_task_uuid
    and not p.is_namespace
  where a.action = 'pause' and p.named_task_uuid is null
  union all
  select 'bulk_action_has_its_tasks',
         jsonb_build_object('token', b.token, 'task_count', b.task_count,
                            'tasks', cardinality(b.tasks), 'result', b.result -> 'results')
  from tasker.bulk_actions b
  where b.task_count <> coalesce(cardinality(b.tasks), b.task_count)
    or (b.result ->> 'count')::int <> b.task_count
    or (b.result #>> '{results,done}', b.result #>> '{results,already}',
        b.result #>> '{results,refused}') is distinct from case
      when b.result is not null then
        (b.done_tasks::text, b.already_tasks::text, b.refused_tasks::text)
      else (null::text, null::text, null::text) end
  union all
  select 'bulk_action_has_its_tasks', jsonb_build_object('token', v.token, 'task_uuid', v.task_uuid)
  from tasker.bulk_action_tasks v
  left join tasker.bulk_actions b on b.token = v.token
  where b.token is null
  union all
  -- Tables of one row, without which a job finds nothing to do; and which tables are purged by
  -- what.
  select 'single_rows_are_there', jsonb_build_object('table', t.name, 'rows', t.rows)
  from (select 'analytics_progress' as name, count(*) as rows
        from tasker.analytics_progress
        union all
        select 'reconciler_progress', count(*)
        from tasker.reconciler_progress
        union all
        select 'handler_catalog', count(*) from tasker.handler_catalog) t
  where t.rows <> 1
  union all
  select 'single_rows_are_there',
         jsonb_build_object('expiring_table', coalesce(x.name, e.table_name),
                            'time_column', e.time_column)
  from (values ('bulk_actions', 'expires_at'), ('queued_signals', 'refused_at'),
               ('bulk_action_tasks', 'acted_at'), ('write_requests', 'requested_at'),
               ('schedule_fires', 'decided_at'),
               ('webhook_deliveries', 'ended_at')) x(name, time_column)
  left join tasker.expiring_tables e on e.table_name = x.name and e.time_column = x.time_column
  where e.table_name is null
$$;
comment on function tasker.find_setting_violations() is
  'Policies, slots, pauses, bulk actions and single rows that do not match what was declared or '
  'recorded: one row per finding.';
