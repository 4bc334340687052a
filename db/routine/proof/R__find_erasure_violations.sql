-- Documents that an erased task still has, erased tasks that have not ended, and erasures without
-- their record: one row per finding. What operators wrote about the task since, such as the notes
-- of a dead letter, is not a finding. Without nested loops: where statistics are missing or old,
-- one over the whole history would never end.
-- Locks: none. Source: docs/reference/personal-data.md, docs/reference/invariants.md.
create or replace function tasker.find_erasure_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with erased as materialized (
    select t.*
    from tasker.tasks t
    where t.erased_at is not null and t.created_at >= coalesce(p_since, '-infinity')),
  steps as materialized (
    select s.workflow_step_uuid, s.task_uuid
    from tasker.workflow_steps s
    where s.task_uuid in (select e.task_uuid from erased e))
  select 'erased_task_has_no_document', jsonb_build_object('task_uuid', f.task_uuid, 'in', f.place)
  from (
    select e.task_uuid, 'tasks'
    from erased e
    where e.completed_at is null or num_nonnulls(e.initiator, e.reason, e.tags, e.cancel_reason) > 0
    union all
    select c.task_uuid, 'task_contexts'
    from tasker.task_contexts c
    where c.task_uuid in (select e.task_uuid from erased e)
      and (c.context <> '{}' or c.trace_parent is not null)
    union all
    select a.task_uuid, 'task_search_attributes'
    from tasker.task_search_attributes a
    where a.task_uuid in (select e.task_uuid from erased e)
    union all
    select o.task_uuid, 'task_outputs'
    from tasker.task_outputs o
    where o.task_uuid in (select e.task_uuid from erased e)
      and (o.output <> 'null' or o.error <> tasker.get_erased_error())
    union all
    select s.task_uuid, 'workflow_step_documents'
    from steps s
    join tasker.workflow_step_documents d on d.workflow_step_uuid = s.workflow_step_uuid
    where num_nonnulls(d.inputs, d.checkpoint) > 0
    union all
    select s.task_uuid, 'workflow_step_result_audit'
    from steps s
    join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    where r.result is not null or r.error <> tasker.get_erased_error()
    union all
    select o.task_uuid, 'decision_outcomes'
    from tasker.decision_outcomes o
    where o.task_uuid in (select e.task_uuid from erased e) and o.reason is not null
    union all
    select b.task_uuid, 'batch_items'
    from tasker.batches b
    join tasker.batch_items i on i.batch_step_uuid = b.workflow_step_uuid and i.item <> 'null'
    where b.task_uuid in (select e.task_uuid from erased e)
    union all
    select k.task_uuid, 'task_compensations'
    from tasker.task_compensations k
    where k.task_uuid in (select e.task_uuid from erased e)
      and num_nonnulls(k.reason, k.cancel_request) > 0
    union all
    select g.task_uuid, 'task_signals'
    from tasker.task_signals g
    where g.task_uuid in (select e.task_uuid from erased e)
      and (g.payload <> 'null' or g.signal_id is not null)
    union all
    select q.task_uuid, 'queued_signals'
    from tasker.queued_signals q
    join erased e on e.task_uuid = q.task_uuid and q.sent_at < e.erased_at
    union all
    select a.task_uuid, 'approvals'
    from tasker.approvals a
    where a.task_uuid in (select e.task_uuid from erased e)
      and (a.title <> 'erased'
           or a.shown <> '{}'
           or a.form_values <> '{}'
           or a.decision_comment is not null
           or a.candidate_users || a.escalation_users || a.candidate_roles || a.escalation_roles
             <> '{}')
    union all
    select v.task_uuid, 'approval_events'
    from tasker.approval_events v
    where v.task_uuid in (select e.task_uuid from erased e) and v.note is not null
    union all
    select v.task_uuid, 'domain_events'
    from tasker.domain_events v
    where v.task_uuid in (select e.task_uuid from erased e)
      and (v.data is not null or v.error is distinct from tasker.get_erased_error())
    union all
    select w.task_uuid, 'webhook_deliveries'
    from tasker.webhook_deliveries w
    join erased e on e.task_uuid = w.task_uuid and w.last_attempt_at < e.erased_at
    where num_nonnulls(w.last_error, w.last_response) > 0
    union all
    select d.task_uuid, 'tasks_dlq'
    from tasker.tasks_dlq d
    join erased e on e.task_uuid = d.task_uuid and d.dlq_timestamp < e.erased_at
    where d.task_snapshot <> '{}'
    union all
    select m.task_uuid, 'task_moves'
    from tasker.task_moves m
    where m.task_uuid in (select e.task_uuid from erased e)
      and m.metadata is distinct from tasker.strip_metadata(m.metadata)
    union all
    select m.task_uuid, 'step_moves'
    from tasker.step_moves m
    where m.task_uuid in (select e.task_uuid from erased e)
      and m.metadata is distinct from tasker.strip_metadata(m.metadata)
    union all
    select a.task_uuid, 'operator_actions'
    from tasker.operator_actions a
    join erased e on e.task_uuid = a.task_uuid and a.acted_at < e.erased_at
    where a.reason <> 'erased' or a.details <> tasker.strip_action_details(a.details)) as f(
      task_uuid, place)
  union all
  select 'erasure_is_recorded',
         jsonb_build_object('task_uuid', e.task_uuid, 'erased_at', e.erased_at)
  from erased e
  where e.task_uuid not in (
    select a.task_uuid
    from tasker.operator_actions a
    where a.action = 'erase' and a.acted_at = e.erased_at and a.task_uuid is not null)
$$;
comment on function tasker.find_erasure_violations(timestamptz) is
  'Documents that an erased task still has, erased tasks that have not ended, and erasures without '
  'their record: one row per finding.';
