-- What follows from the end of a task, whichever statement ends it: stores the output of a task
-- whose template has one, and leaves a notice for the parent of a child task, also when the child
-- is blocked by failures. Inserts only, so that it waits for no lock: the parent is evaluated under
-- its own. An output that cannot be computed does not undo the task: its error is stored in place
-- of the output.
-- Locks: none. Source: ADR 0043. Trigger on tasks, only for rows with has_output or
-- parent_step_uuid.
create or replace function tasker.tell_end_of_task()
returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_output jsonb;
  v_error  jsonb;
begin
  if new.has_output and tasker.task_ended_well(new.state) then
    begin
      select tasker.evaluate_mapping(nt.output, tasker.get_expression_document(new.task_uuid))
        into v_output
      from tasker.named_tasks nt
      where nt.named_task_uuid = new.named_task_uuid;
      if octet_length(v_output::text) > 1048576 then
        v_error := jsonb_build_object(
          'type', 'output_too_large',
          'message', format('the output has %s bytes, and may have at most 1048576',
                            octet_length(v_output::text)));
      end if;
    exception when sqlstate 'TK010' then
      v_error := jsonb_build_object(
        'type', 'expression_error', 'message', format('output %s', sqlerrm));
    end;
    insert into tasker.task_outputs as o (task_uuid, output, error)
    values (new.task_uuid, case when v_error is null then v_output end, v_error)
    on conflict (task_uuid) do update
      set output = excluded.output, error = excluded.error,
          document_hash = tasker.hash_documents(excluded.output, excluded.error);
  end if;
  if new.parent_step_uuid is not null then
    insert into tasker.task_notices (task_uuid, sender_uuid, kind)
    values (new.parent_task_uuid, new.task_uuid, 'child_ended');
    perform tasker.notify_servers(null, array['orchestration']);
  end if;
  return null;
end
$$;
comment on function tasker.tell_end_of_task() is
  'When a task ends, stores its output, and leaves a notice for the parent of a child task.';

create or replace trigger end_is_told after update of state on tasker.tasks
  for each row when ((new.has_output or new.parent_step_uuid is not null)
                     and new.state <> old.state
                     and new.state in ('complete', 'error', 'cancelled', 'resolved_manually',
                                       'blocked_by_failures'))
  execute function tasker.tell_end_of_task();
