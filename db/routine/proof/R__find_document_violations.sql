-- Documents that differ from their hash, and search attributes that differ from their context: one
-- row per finding. Reads every document, which is most of the cost of the check when documents are
-- large. Without nested loops: where statistics are missing or old, one over the whole history
-- would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_document_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  select 'document_equals_its_hash',
         jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key)
  from tasker.workflow_step_result_audit r
  where r.recorded_at >= coalesce(p_since, '-infinity')
    and r.document_hash is distinct from tasker.hash_documents(r.result, r.error)
  union all
  select 'document_equals_its_hash', jsonb_build_object('task_uuid', c.task_uuid)
  from tasker.task_contexts c
  where c.document_hash is distinct from tasker.hash_documents(c.context, to_jsonb(c.submitted_by))
    and (p_since is null
         or c.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since))
  union all
  select 'document_equals_its_hash', jsonb_build_object('step_uuid', d.workflow_step_uuid)
  from tasker.workflow_step_documents d
  where d.document_hash is distinct from tasker.hash_documents(d.inputs, d.checkpoint)
    and (p_since is null
         or d.workflow_step_uuid in (
           select s.workflow_step_uuid from tasker.workflow_steps s where s.created_at >= p_since))
  union all
  select 'document_equals_its_hash', jsonb_build_object('task_uuid', o.task_uuid, 'output', true)
  from tasker.task_outputs o
  where o.document_hash is distinct from tasker.hash_documents(o.output, o.error)
    and (p_since is null
         or o.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since))
  union all
  select 'document_equals_its_hash',
         jsonb_build_object('task_uuid', g.task_uuid, 'signal', g.number)
  from tasker.task_signals g
  where g.document_hash is distinct from tasker.hash_signal(g)
    and (p_since is null
         or g.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since))
  union all
  select 'document_equals_its_hash',
         jsonb_build_object('approval_uuid', a.approval_uuid, 'task_uuid', a.task_uuid,
                            'state', a.state)
  from tasker.approvals a
  where a.created_at >= coalesce(p_since, '-infinity')
    and a.document_hash is distinct from tasker.hash_approval(a)
  union all
  select 'document_equals_its_hash',
         jsonb_build_object('event_uuid', e.event_uuid, 'task_uuid', e.task_uuid, 'name', e.name)
  from tasker.domain_events e
  where e.created_at >= coalesce(p_since, '-infinity')
    and e.document_hash is distinct from tasker.hash_documents(e.data, e.error)
  union all
  select 'document_equals_its_hash',
         jsonb_build_object('batch_step_uuid', i.batch_step_uuid, 'ordinal', i.ordinal)
  from tasker.batch_items i
  where i.document_hash is distinct from tasker.hash_documents(i.item)
  union all
  -- Without the caller and the key: neither belongs into a report.
  select 'document_equals_its_hash',
         jsonb_build_object('idempotent_response_of', k.created_at, 'status', k.status,
                            'location', k.location)
  from tasker.idempotency_keys k
  where k.created_at >= coalesce(p_since, '-infinity')
    and k.document_hash is distinct from tasker.hash_idempotent_response(k)
  union all
  -- Search attributes: a row is missing, has another value, or is superfluous.
  select 'search_attributes_equal_the_context',
         jsonb_build_object('task_uuid', coalesce(w.task_uuid, k.task_uuid),
                            'name', coalesce(w.name, k.name), 'is_there', k.task_uuid is not null,
                            'is_due', w.task_uuid is not null)
  from (select t.task_uuid, a.name, a.value
        from tasker.named_tasks nt
        join tasker.tasks t on t.named_task_uuid = nt.named_task_uuid
        join tasker.task_contexts c on c.task_uuid = t.task_uuid
        cross join lateral tasker.extract_search_attributes(nt.search_attributes, c.context) a
        where nt.search_attributes is not null
          and t.created_at >= coalesce(p_since, '-infinity')
          and a.value is not null) w
  full join (select s.task_uuid, s.name::text as name, s.value::text as value
             from tasker.task_search_attributes s
             where p_since is null
               or s.task_uuid in (
                 select t.task_uuid from tasker.tasks t where t.created_at >= p_since)) k
    on k.task_uuid = w.task_uuid
      and k.name = w.name
  where k.value is distinct from w.value
$$;
comment on function tasker.find_document_violations(timestamptz) is
  'Documents that differ from their hash, and search attributes that differ from their context: '
  'one row per finding.';
