-- History is append-only: an update or a delete of one of its rows is refused with TK009. Whole
-- months can be dropped or truncated, which no row trigger sees. A row trigger, because only row
-- triggers fire on every partition.
-- Trigger on task_moves, step_moves, workflow_step_result_audit and
-- operator_actions.
create or replace function tasker.refuse_history_change()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op)
    using errcode = 'TK009';
end
$$;
comment on function tasker.refuse_history_change() is
  'History is append-only: an update or a delete of one of its rows is refused with TK009.';

create or replace trigger history_is_append_only before update or delete on tasker.task_moves
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update or delete on tasker.step_moves
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update on tasker.workflow_step_result_audit
  for each row execute function tasker.refuse_history_change();
create or replace trigger history_is_append_only before update or delete on tasker.operator_actions
  for each row execute function tasker.refuse_history_change();
