-- Writes the hash of a document beside it when its row is inserted. On insert only: functions that
-- replace a document write its hash themselves, so that a document changed in any other way no
-- longer matches its hash. Refuses a document that no reader could read again (check_document),
-- whichever way it came: the functions that take documents in say so before, and name the member.
-- What the engine makes of stored documents nests them some levels deeper, hence the higher limit.
-- The items of batches are many: record_batches and begin_compensations hash them.
-- Errors: 23514. Source: docs/reference/invariants.md, ADR 0065. Trigger on the tables below.
create or replace function tasker.stamp_document_hash()
returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_document  jsonb;
  v_other     jsonb;
  v_text      text;
  v_rest      text;
  v_complaint text;
begin
  if tg_table_name = 'workflow_step_result_audit' then
    v_document := new.result;
    v_other := new.error;
  elsif tg_table_name = 'task_contexts' then
    v_document := new.context;
    v_other := to_jsonb(new.submitted_by);
  elsif tg_table_name = 'workflow_step_documents' then
    v_document := new.inputs;
    v_other := new.checkpoint;
  elsif tg_table_name = 'task_outputs' then
    v_document := new.output;
    v_other := new.error;
  elsif tg_table_name = 'domain_events' then
    v_document := new.data;
    v_other := new.error;
  elsif tg_table_name = 'named_tasks' then
    v_document := new.configuration;
  elsif tg_table_name = 'task_signals' then
    v_document := new.payload;
  end if;
  v_text := v_document::text;
  v_rest := v_other::text;
  -- Shorter ones are let through in any case; without the call they cost nothing.
  if octet_length(v_text) > 1000 or octet_length(v_rest) > 1000 then
    v_complaint := coalesce(tasker.check_document(v_document, p_deepest => 900, p_text => v_text),
                            tasker.check_document(v_other, p_deepest => 900, p_text => v_rest));
    if v_complaint is not null then
      raise exception 'a document of % %', tg_table_name, v_complaint
        using errcode = 'check_violation', table = tg_table_name, schema = 'tasker';
    end if;
  end if;
  if tg_table_name not in ('task_signals', 'approvals', 'idempotency_keys',
                           'named_tasks_named_steps') then
    new.document_hash := tasker.hash_texts(v_text, v_rest);
  -- Of these the hash has more than the document.
  elsif tg_table_name = 'task_signals' then
    new.document_hash := tasker.hash_signal(new);
  elsif tg_table_name = 'approvals' then
    new.document_hash := tasker.hash_approval(new);
  elsif tg_table_name = 'idempotency_keys' then
    new.document_hash := tasker.hash_idempotent_response(new);
  elsif tg_table_name = 'named_tasks_named_steps' then
    new.document_hash := tasker.hash_step_definition(new);
  end if;
  return new;
end
$$;
comment on function tasker.stamp_document_hash() is
  'Writes the hash of a document beside it when its row is inserted, and refuses one that could '
  'not be read again.';

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
