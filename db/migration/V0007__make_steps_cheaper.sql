-- breaking-change: no
-- What every step paid for and nobody read. Measured, and what guards instead: docs/adr/0009 and 0010.

-- A look-up and a row lock per new row, and on named_tasks one row that all submissions of a template lock together.
-- Inserted by submit_tasks and create_steps only, from the very rows they belong to; deletes are followed by
-- delete_rows_of_tasks, check_history() looks for rows that belong to nothing.
alter table tasker.workflow_steps drop constraint workflow_steps_task_uuid_fkey;
alter table tasker.task_contexts drop constraint task_contexts_task_uuid_fkey;
alter table tasker.task_wakeups drop constraint task_wakeups_task_uuid_fkey;
alter table tasker.tasks drop constraint tasks_named_task_uuid_fkey;

-- A third of the table and no guarantee: with created_at in it, which the partitions ask for, it never made a number
-- unique. Moves of a task are written close together and its key grows with time, so a summary per 32 pages finds them.
-- Summaries are made by vacuum, which comes to inserts (ensure_history_partitions) as well.
alter table tasker.workflow_step_transitions drop constraint workflow_step_transitions_pkey;
create index workflow_step_transitions_task_uuid_idx on tasker.workflow_step_transitions
  using brin (task_uuid uuid_minmax_multi_ops) with (pages_per_range = 32);

-- A batch moves neighbours together: two versions of each step and one of each task must find room on their page before
-- the old ones can go. At 70 % a fifth to a third of the moves did not, wrote to two indexes each and grew the table all the same.
alter table tasker.workflow_steps set (fillfactor = 45);
alter table tasker.tasks set (fillfactor = 50);

-- Inserts alone bring vacuum, so that history is summarised and frozen a little at a time.
do $partitions$
declare
  v_partition regclass;
begin
  for v_partition in
    select i.inhrelid::regclass from pg_catalog.pg_inherits i
    where i.inhparent in ('tasker.task_transitions'::regclass, 'tasker.workflow_step_transitions'::regclass)
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 50000)', v_partition);
  end loop;
end
$partitions$;
