-- Updates the index summaries of history by transaction, so that reading the end of history does not read everything since
-- the last autovacuum. Returns how many ranges it summarized; skips partitions that another session (vacuum) has locked.
-- Locks: each partition against vacuum and schema changes, while it reads the new pages; moves do not wait.
create or replace function tasker.summarize_history()
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_before text := pg_catalog.current_setting('lock_timeout');
  v_index  regclass;
  v_count  int := 0;
begin
  perform pg_catalog.set_config('lock_timeout', '50ms', true);
  for v_index in
    select i.inhrelid::regclass from pg_catalog.pg_inherits i
    where i.inhparent in ('tasker.workflow_step_transitions_xact_id_idx'::regclass, 'tasker.task_transitions_xact_id_created_at_idx'::regclass)
  loop
    begin
      v_count := v_count + pg_catalog.brin_summarize_new_values(v_index);
    exception when lock_not_available then
      null;
    end;
  end loop;
  perform pg_catalog.set_config('lock_timeout', v_before, true);
  return v_count;
end
$$;
comment on function tasker.summarize_history() is
  'Updates the index summaries of history by transaction, so that reading the end of history is quick.';
