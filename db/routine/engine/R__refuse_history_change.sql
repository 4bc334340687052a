-- History is append-only: an update or a delete of one of its rows is refused with TK009. Whole
-- months can be dropped or truncated, which no row trigger sees. A row trigger, because only row
-- triggers fire on every partition. The one update that it lets through empties the documents of a
-- row of an erased task (get_erased_row), and leaves everything else of the row as it was.
-- Trigger on task_moves, step_moves, workflow_step_result_audit and
-- operator_actions.
create or replace function tasker.refuse_history_change()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE'
     and to_jsonb(new) - 'success' = tasker.get_erased_row(to_jsonb(old)) - 'success'
     and exists (select from tasker.tasks t
                 where t.task_uuid = new.task_uuid and t.erased_at is not null) then
    return new;
  end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op)
    using errcode = 'TK009';
end
$$;
comment on function tasker.refuse_history_change() is
  'History is append-only: an update or a delete of one of its rows is refused with TK009, but for '
  'the erasure of its documents.';

create or replace trigger history_is_append_only before update or delete on tasker.task_moves
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update or delete on tasker.step_moves
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update on tasker.workflow_step_result_audit
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update or delete on tasker.operator_actions
  for each row execute function tasker.refuse_history_change();
