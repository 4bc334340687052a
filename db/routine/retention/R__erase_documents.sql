-- Empties every document of some tasks, marks the tasks as erased, and records it: contexts, search
-- attributes, inputs, checkpoints, results, errors, outputs, signals, forms and comments of
-- approvals, items of batches, domain events, what receivers of webhooks answered, dead letters,
-- dead messages, saved responses, and every free text that came with a request or an operator's
-- action. What remains is what the proofs need: which steps there were, how they moved, when, and
-- who acted. docs/reference/personal-data.md has a line for every table.
-- p_details: of the record, by the task; it must hold nothing of what is erased.
-- Locks: an advisory lock against drop_history_month, which the caller has taken before the locks
-- of the tasks; the rows. The caller holds the tasks, all of which have ended.
-- Source: ADR 0094.
create or replace function tasker.erase_documents(
  p_task_uuids uuid[], p_by text, p_reason text, p_details jsonb, p_now timestamptz)
returns void
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_steps uuid[] := array(select s.workflow_step_uuid
                          from tasker.workflow_steps s
                          where s.task_uuid = any (p_task_uuids));
  v_texts text[] := p_task_uuids;
  v_error jsonb := tasker.get_erased_error();
begin
  -- First, because refuse_history_change asks for it.
  update tasker.tasks t
  set erased_at = p_now, initiator = null, reason = null, tags = null, cancel_reason = null
  where t.task_uuid = any (p_task_uuids);

  update tasker.task_contexts c
  set context = '{}', trace_parent = null,
      document_hash = tasker.hash_documents('{}', to_jsonb(c.submitted_by))
  where c.task_uuid = any (p_task_uuids);
  delete from tasker.task_search_attributes a where a.task_uuid = any (p_task_uuids);
  update tasker.task_outputs o
  set output = case when o.output is not null then 'null'::jsonb end,
      error = case when o.error is not null then v_error end,
      document_hash = tasker.hash_documents(case when o.output is not null then 'null'::jsonb end,
                                            case when o.error is not null then v_error end)
  where o.task_uuid = any (p_task_uuids);
  update tasker.workflow_step_documents d
  set inputs = null, checkpoint = null, document_hash = tasker.hash_documents(null, null)
  where d.workflow_step_uuid = any (v_steps);
  update tasker.workflow_step_result_audit r
  set result = null, error = case when r.error is not null then v_error end,
      document_hash = tasker.hash_documents(null, case when r.error is not null then v_error end)
  where r.workflow_step_uuid = any (v_steps);
  update tasker.decision_outcomes o set reason = null where o.task_uuid = any (p_task_uuids);
  update tasker.batch_items i
  set item = 'null', document_hash = tasker.hash_documents('null')
  from tasker.batches b
  where b.task_uuid = any (p_task_uuids) and i.batch_step_uuid = b.workflow_step_uuid;
  update tasker.task_compensations k set reason = null, cancel_request = null
  where k.task_uuid = any (p_task_uuids);

  update tasker.task_signals g set payload = 'null', signal_id = null
  where g.task_uuid = any (p_task_uuids);
  update tasker.task_signals g set document_hash = tasker.hash_signal(g)
  where g.task_uuid = any (p_task_uuids);
  -- A signal that is still to be delivered would be refused, and kept.
  delete from tasker.queued_signals q where q.task_uuid = any (p_task_uuids);
  update tasker.approvals a
  set title = 'erased', shown = '{}',
      form_values = case when a.form_values is not null then '{}'::jsonb end,
      decision_comment = null, candidate_roles = '{}', candidate_users = '{}',
      escalation_roles = '{}', escalation_users = '{}',
      -- Those that are still recorded: the initiators that requests named are not.
      initiators = array(select i from unnest(a.initiators) i
                         where i = any (tasker.get_initiators(a.task_uuid)) order by i)
  where a.task_uuid = any (p_task_uuids);
  update tasker.approvals a set document_hash = tasker.hash_approval(a)
  where a.task_uuid = any (p_task_uuids);
  update tasker.approval_events e set note = null where e.task_uuid = any (p_task_uuids);

  -- An event that is still to be sent is sent without its data.
  update tasker.domain_events e
  set data = null, error = v_error, document_hash = tasker.hash_documents(null, v_error)
  where e.task_uuid = any (p_task_uuids);
  update tasker.webhook_deliveries w set last_error = null, last_response = null
  where w.task_uuid = any (p_task_uuids);
  update tasker.task_notices i set details = i.details || '{"reason": "erased"}'
  where i.task_uuid = any (p_task_uuids) and i.details ? 'reason';

  update tasker.tasks_dlq d
  set task_snapshot = '{}', metadata = null, resolution_notes = null
  where d.task_uuid = any (p_task_uuids);
  update tasker.task_faults f set cause = 'erased' where f.task_uuid = any (p_task_uuids);
  delete from tasker.dead_messages m where m.message ->> 'task_uuid' = any (v_texts);
  -- None is older than the task that it speaks of.
  delete from tasker.idempotency_keys k
  using tasker.tasks t
  where t.task_uuid = any (p_task_uuids)
    and k.created_at >= t.created_at - interval '1 minute'
    and strpos(concat(k.location, ' ', k.body), t.task_uuid::text) > 0;

  update tasker.task_moves m set metadata = tasker.strip_metadata(m.metadata)
  where m.task_uuid = any (p_task_uuids)
    and m.metadata is distinct from tasker.strip_metadata(m.metadata);
  update tasker.step_moves m set metadata = tasker.strip_metadata(m.metadata)
  where m.task_uuid = any (p_task_uuids)
    and m.metadata is distinct from tasker.strip_metadata(m.metadata);
  update tasker.operator_actions a
  set reason = 'erased', details = tasker.strip_action_details(a.details)
  where a.task_uuid = any (p_task_uuids);

  insert into tasker.operator_actions (acted_at, action, acted_by, reason, task_uuid, details)
  select p_now, 'erase', p_by, p_reason, u.task_uuid, p_details -> u.task_uuid::text
  from unnest(p_task_uuids) as u(task_uuid)
  order by u.task_uuid;
end
$$;
comment on function tasker.erase_documents(uuid[], text, text, jsonb, timestamptz) is
  'Empties every document of some tasks, marks the tasks as erased, and records it.';
