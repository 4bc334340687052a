-- How many documents each key has sealed something of, by table: a key that is in no row is not
-- needed to open what is stored. Reads all documents, so it takes long on a large installation; a
-- backup or an export is not counted.
-- Returns rows of key, place (the table and column) and documents. Errors: none. Locks: none.
-- Source: ADR 0095.
create or replace function tasker.count_document_keys()
returns table (key text, place text, documents bigint)
language sql stable
set search_path = ''
as $$
  with stored as (
    select 'task_contexts.context' as place, c.context as document from tasker.task_contexts c
    union all
    select 'task_outputs.output', o.output from tasker.task_outputs o
    union all
    select 'task_outputs.error', o.error from tasker.task_outputs o
    union all
    select 'workflow_step_result_audit.result', r.result from tasker.workflow_step_result_audit r
    union all
    select 'workflow_step_result_audit.error', r.error from tasker.workflow_step_result_audit r
    union all
    select 'workflow_step_documents.inputs', d.inputs from tasker.workflow_step_documents d
    union all
    select 'workflow_step_documents.checkpoint', d.checkpoint
    from tasker.workflow_step_documents d
    union all
    select 'task_signals.payload', g.payload from tasker.task_signals g
    union all
    select 'queued_signals.payload', q.payload from tasker.queued_signals q
    union all
    select 'approvals.form_values', a.form_values from tasker.approvals a
    union all
    select 'approvals.shown', a.shown from tasker.approvals a
    union all
    select 'batch_items.item', b.item from tasker.batch_items b
    union all
    select 'tasks_dlq.task_snapshot', d.task_snapshot from tasker.tasks_dlq d
    union all
    select 'operator_actions.details', o.details from tasker.operator_actions o
    union all
    select 'schedules.context', s.context from tasker.schedules s
    union all
    select 'domain_events.data', e.data from tasker.domain_events e
    union all
    select 'domain_events.error', e.error from tasker.domain_events e)
  select k.key, k.place, count(*)
  from (select distinct s.place, s.n, found.key[1] as key
        from (select s.place, s.document::text as text, row_number() over () as n
              from stored s
              where s.document::text like '%"$sealed": {"key": "%') s
        cross join lateral regexp_matches(
          s.text, '"\$sealed": \{"key": "([^"]*)", "data": "', 'g') as found(key)) k
  group by k.key, k.place
  order by k.key, k.place
$$;
comment on function tasker.count_document_keys() is
  'How many documents each key has sealed something of, by table.';
