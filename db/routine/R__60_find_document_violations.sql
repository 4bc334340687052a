-- Documents that are not what was written: one row per finding. Every document is read, which is most of what the check costs where they are large.
-- Without nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/promises.md. Called by check_history.
create or replace function tasker.find_document_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  select 'document_equals_its_hash', jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key)
  from tasker.workflow_step_result_audit r
  where r.recorded_at >= coalesce(p_since, '-infinity') and r.document_hash is distinct from tasker.hash_documents(r.result, r.error)
  union all
  select 'document_equals_its_hash', jsonb_build_object('task_uuid', c.task_uuid)
  from tasker.task_contexts c
  where c.document_hash is distinct from tasker.hash_documents(c.context)
    and (p_since is null or c.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since))
  union all
  select 'document_equals_its_hash', jsonb_build_object('step_uuid', d.workflow_step_uuid)
  from tasker.workflow_step_documents d
  where d.document_hash is distinct from tasker.hash_documents(d.inputs, d.checkpoint)
    and (p_since is null or d.workflow_step_uuid in (select s.workflow_step_uuid from tasker.workflow_steps s where s.created_at >= p_since))
$$;
comment on function tasker.find_document_violations(timestamptz) is
  'Documents that are not what was written: one row per finding.';
