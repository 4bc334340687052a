-- breaking-change: no
-- How far the reconciler has come on its walk over all tasks, in which it restores what the engine relies on and does not write a second time by itself.
create table tasker.reconciler_progress (
  only_row       boolean     primary key default true check (only_row),
  cursor_uuid    uuid,
  pass_began_at  timestamptz not null default now(),
  last_pass_at   timestamptz)
with (fillfactor = 50);
comment on table tasker.reconciler_progress is 'One row: how far the reconciler has come on its walk over all tasks; the server that works on the next part holds it.';
comment on column tasker.reconciler_progress.cursor_uuid is 'The last task that was looked at; null between two passes.';
comment on column tasker.reconciler_progress.last_pass_at is 'When the latest pass over all tasks ended.';
insert into tasker.reconciler_progress default values;
