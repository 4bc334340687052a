-- Deletes the steps with their documents, decisions, batches, waits, approvals, signals,
-- provenance, domain events with their deliveries, notices, outputs, contexts, search attributes
-- and wake-ups of deleted tasks, as a foreign key with cascade would; dead letters have one. Fires
-- once per statement, because a clean-up deletes many tasks at a time. Edges, results and history
-- stay.
-- Locks: the rows. Source: ADR 0009. Trigger on tasks.
create or replace function tasker.delete_rows_of_tasks()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from tasker.task_wakeups w using old_rows o where w.task_uuid = o.task_uuid;
  delete from tasker.task_contexts c using old_rows o where c.task_uuid = o.task_uuid;
  delete from tasker.task_search_attributes a using old_rows o where a.task_uuid = o.task_uuid;
  delete from tasker.task_compensations n using old_rows o where n.task_uuid = o.task_uuid;
  delete from tasker.decision_outcomes d using old_rows o where d.task_uuid = o.task_uuid;
  delete from tasker.approval_events e using old_rows o where e.task_uuid = o.task_uuid;
  delete from tasker.approvals a using old_rows o where a.task_uuid = o.task_uuid;
  delete from tasker.step_waits v using old_rows o where v.task_uuid = o.task_uuid;
  delete from tasker.webhook_deliveries w using old_rows o where w.task_uuid = o.task_uuid;
  delete from tasker.domain_events v using old_rows o where v.task_uuid = o.task_uuid;
  delete from tasker.task_forks f using old_rows o where f.task_uuid = o.task_uuid;
  delete from tasker.task_outputs p using old_rows o where p.task_uuid = o.task_uuid;
  delete from tasker.task_notices i using old_rows o where i.task_uuid = o.task_uuid;
  delete from tasker.queued_signals q using old_rows o where q.task_uuid = o.task_uuid;
  delete from tasker.task_signals g using old_rows o where g.task_uuid = o.task_uuid;
  delete from tasker.batch_items i
  using tasker.batches b, old_rows o
  where i.batch_step_uuid = b.workflow_step_uuid and b.task_uuid = o.task_uuid;
  delete from tasker.batch_live_workers l using old_rows o where l.task_uuid = o.task_uuid;
  delete from tasker.batches b using old_rows o where b.task_uuid = o.task_uuid;
  delete from tasker.workflow_step_documents d
  where d.workflow_step_uuid
      = any (array(select s.workflow_step_uuid
                   from old_rows o
                   join tasker.workflow_steps s on s.task_uuid = o.task_uuid));
  delete from tasker.workflow_steps s using old_rows o where s.task_uuid = o.task_uuid;
  return null;
end
$$;
comment on function tasker.delete_rows_of_tasks() is
  'Steps, contexts, search attributes and wake-ups go with their task, as a foreign key would '
  'have it.';

create or replace trigger rows_go_with_their_task after delete on tasker.tasks
  referencing old table
  as old_rows for each statement execute function tasker.delete_rows_of_tasks();
