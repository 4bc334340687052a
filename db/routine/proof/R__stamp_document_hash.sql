-- Writes the hash of a document beside it when its row is inserted. On insert only: functions that replace a document write
-- its hash themselves, so that a document changed in any other way no longer matches its hash.
-- Source: docs/promises.md, documents. Trigger on the tables below. The items of batches are many: record_batches and begin_compensations hash them.
create or replace function tasker.stamp_document_hash()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_table_name = 'workflow_step_result_audit' then
    new.document_hash := tasker.hash_documents(new.result, new.error);
  elsif tg_table_name = 'task_contexts' then
    new.document_hash := tasker.hash_documents(new.context, to_jsonb(new.submitted_by));
  elsif tg_table_name = 'workflow_step_documents' then
    new.document_hash := tasker.hash_documents(new.inputs, new.checkpoint);
  elsif tg_table_name = 'task_outputs' then
    new.document_hash := tasker.hash_documents(new.output, new.error);
  elsif tg_table_name = 'task_signals' then
    new.document_hash := tasker.hash_signal(new);
  elsif tg_table_name = 'domain_events' then
    new.document_hash := tasker.hash_documents(new.data, new.error);
  elsif tg_table_name = 'approvals' then
    new.document_hash := tasker.hash_approval(new);
  elsif tg_table_name = 'idempotency_keys' then
    new.document_hash := tasker.hash_idempotent_response(new);
  elsif tg_table_name = 'named_tasks_named_steps' then
    new.document_hash := tasker.hash_step_definition(new);
  else
    new.document_hash := tasker.hash_documents(new.configuration);
  end if;
  return new;
end
$$;
comment on function tasker.stamp_document_hash() is
  'Writes the hash of a document beside it when its row is inserted.';

create or replace trigger documents_are_hashed before insert on tasker.workflow_step_result_audit
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.task_contexts
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.workflow_step_documents
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.task_outputs
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.task_signals
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.named_tasks
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.domain_events
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.approvals
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.idempotency_keys
  for each row execute function tasker.stamp_document_hash();
create or replace trigger documents_are_hashed before insert on tasker.named_tasks_named_steps
  for each row execute function tasker.stamp_document_hash();
