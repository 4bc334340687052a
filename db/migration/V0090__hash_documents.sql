-- breaking-change: no
-- What was written once is told from what was changed afterwards by a hash beside it, made by the database when the row is inserted and compared by
-- check_history(). 64 bits: it finds mistakes and broken storage; it is no protection against a forger, who would write a fitting one.

alter table tasker.workflow_step_result_audit add column document_hash bigint;
alter table tasker.task_contexts add column document_hash bigint;
alter table tasker.workflow_step_documents add column document_hash bigint;
alter table tasker.named_tasks add column document_hash bigint;
comment on column tasker.workflow_step_result_audit.document_hash is 'hash_documents(result, error), as they were inserted.';
comment on column tasker.task_contexts.document_hash is 'hash_documents(context), as it was written.';
comment on column tasker.workflow_step_documents.document_hash is 'hash_documents(inputs, checkpoint), as they were written last.';
comment on column tasker.named_tasks.document_hash is 'hash_documents(configuration), as it was registered.';

-- Both are repeatable migrations as well, which come later: no row may come in between without its hash.
create function tasker.hash_documents(p_document jsonb, p_other jsonb default null)
returns bigint
language sql immutable parallel safe
as $$
  select hashtextextended(coalesce(p_document::text, ''), case when p_other is null then 0 else hashtextextended(p_other::text, 0) end)
$$;

create function tasker.stamp_document_hash()
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
  else
    new.document_hash := tasker.hash_documents(new.configuration);
  end if;
  return new;
end
$$;
create trigger documents_are_hashed before insert on tasker.workflow_step_result_audit for each row execute function tasker.stamp_document_hash();
create trigger documents_are_hashed before insert on tasker.task_contexts for each row execute function tasker.stamp_document_hash();
create trigger documents_are_hashed before insert on tasker.workflow_step_documents for each row execute function tasker.stamp_document_hash();
create trigger documents_are_hashed before insert on tasker.named_tasks for each row execute function tasker.stamp_document_hash();

-- The rows that are there; the triggers that refuse an update stand aside for this one.
alter table tasker.workflow_step_result_audit disable trigger user;
alter table tasker.named_tasks disable trigger user;
update tasker.workflow_step_result_audit set document_hash = tasker.hash_documents(result, error);
update tasker.task_contexts set document_hash = tasker.hash_documents(context);
update tasker.workflow_step_documents set document_hash = tasker.hash_documents(inputs, checkpoint);
update tasker.named_tasks set document_hash = tasker.hash_documents(configuration);
alter table tasker.workflow_step_result_audit enable trigger user;
alter table tasker.named_tasks enable trigger user;

alter table tasker.workflow_step_result_audit alter column document_hash set not null;
alter table tasker.task_contexts alter column document_hash set not null;
alter table tasker.workflow_step_documents alter column document_hash set not null;
alter table tasker.named_tasks alter column document_hash set not null;
