-- breaking-change: no
-- Moves of steps name their transaction as those of tasks do (V0024), so that whoever follows the history can tell what is there for good:
-- everything below the oldest transaction that still runs. See docs/adr/0019.
-- Two steps, so that no row is rewritten: rows that are there already are older than any position that anybody can have.
alter table tasker.workflow_step_transitions add column xact_id bigint not null default 0;
alter table tasker.workflow_step_transitions alter column xact_id set default pg_current_xact_id()::text::bigint;
comment on column tasker.workflow_step_transitions.xact_id is
  'The transaction that made the move; 0 for moves from before this column. Everything below pg_snapshot_xmin of a snapshot is there or never will be.';
-- Nothing per row; an insert touches it when a range begins. What is not summarised yet is read whole: summarize_history.
create index workflow_step_transitions_xact_id_idx on tasker.workflow_step_transitions
  using brin (xact_id) with (pages_per_range = 32, autosummarize = on);
