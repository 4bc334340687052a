-- Writes the hash of a document beside it when its row is inserted. On insert only: functions that replace a document write
-- its hash themselves, so that a document changed in any other way no longer matches its hash.
-- Source: docs/promises.md, documents. Trigger on workflow_step_result_audit, task_contexts, workflow_step_documents, task_outputs, task_signals and named_tasks.
create or replace function tasker.stamp_document_hash()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_table_name = 'workflow_step_result_audit' then
    new.document_hash := tasker.hash_documents(new.result, new.error);
  elsif tg_table_name = 'task_contexts' then
    new.document_hash := tasker.hash_documents(new.context);
  elsif tg_table_name = 'workflow_step_documents' then
    new.document_hash := tasker.hash_documents(new.inputs, new.checkpoint);
  elsif tg_table_name = 'task_outputs' then
    new.document_hash := tasker.hash_documents(new.output, new.error);
  elsif tg_table_name = 'task_signals' then
    new.document_hash := tasker.hash_documents(new.payload);
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
