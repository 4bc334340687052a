-- Values in clear that a template seals, and sealing that is not that of its template: one row per
-- finding. Whether what is sealed can be opened, only those who have the keys know. Documents that
-- were erased are left out.
-- Locks: none. Source: ADR 0095, docs/reference/invariants.md.
create or replace function tasker.find_sealing_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with sealing as materialized (
    select nt.named_task_uuid, nt.sealed -> 'context' as places
    from tasker.named_tasks nt
    where nt.sealed is not null),
  tasks as (
    select t.task_uuid, t.named_task_uuid, s.places
    from tasker.tasks t
    join sealing s on s.named_task_uuid = t.named_task_uuid
    where t.created_at >= coalesce(p_since, '-infinity') and t.erased_at is null),
  steps as (
    select w.workflow_step_uuid, w.task_uuid, n.sealed as places, n.wait_for ->> 'kind' as kind,
           n.wait_for ->> 'name' as signal
    from tasks t
    join tasker.workflow_steps w on w.task_uuid = t.task_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = w.named_step_uuid
    where n.sealed is not null),
  stored as (
    select jsonb_build_object('task_uuid', t.task_uuid, 'document', 'context') as place, t.places,
           c.context as document
    from tasks t
    join tasker.task_contexts c on c.task_uuid = t.task_uuid
    union all
    select jsonb_build_object('step_uuid', s.workflow_step_uuid, 'sort_key', r.sort_key), s.places,
           r.result
    from steps s
    join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    where s.kind is null and r.success
    union all
    select jsonb_build_object('task_uuid', g.task_uuid, 'signal', g.number), s.places, g.payload
    from steps s
    join tasker.task_signals g on g.task_uuid = s.task_uuid and g.name = s.signal
    where s.kind = 'signal'
    union all
    select jsonb_build_object('approval_uuid', a.approval_uuid), s.places, a.form_values
    from steps s
    join tasker.approvals a on a.workflow_step_uuid = s.workflow_step_uuid
    where s.kind = 'approval')
  select 'sealed_value_is_sealed', s.place || jsonb_build_object('pointer', u.pointer)
  from stored s
  cross join lateral (select tasker.find_unsealed(s.document, s.places) as pointer) u
  where u.pointer is not null
  union all
  select 'sealing_is_that_of_its_template',
         jsonb_build_object('named_task_uuid', nt.named_task_uuid)
  from tasker.named_tasks nt
  where nt.sealed is distinct from tasker.read_sealing(nt.configuration)
  union all
  select 'sealing_is_that_of_its_template',
         jsonb_build_object('named_task_uuid', n.named_task_uuid,
                            'step_position', n.step_position)
  from tasker.named_tasks_named_steps n
  where n.sealed is distinct from tasker.read_sealed_places(coalesce(
          n.result_schema, n.wait_for -> 'schema', n.wait_for -> 'form'))
$$;
comment on function tasker.find_sealing_violations(timestamptz) is
  'Values in clear that a template seals, and sealing that is not that of its template.';
