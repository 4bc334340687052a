-- Updates the index summaries of history by transaction, so that reading the end of history does
-- not read everything since the last autovacuum. Returns how many ranges it summarized; skips
-- partitions that another session (vacuum) has locked. Only ranges that are full: each row that is
-- added to a range with a summary may have to extend it. They are summarized from the end back to
-- the first that has a summary; what is left between when that ends early, vacuum summarizes.
-- Locks: each partition against vacuum and schema changes, until the transaction ends; moves do not
-- wait.
create or replace function tasker.summarize_history()
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_before text := pg_catalog.current_setting('lock_timeout');
  v_index  record;
  v_count  int := 0;
  v_range  bigint;
begin
  perform pg_catalog.set_config('lock_timeout', '50ms', true);
  for v_index in
    select i.inhrelid::regclass as index_name, x.indrelid::regclass as table_name,
           o.option_value::int as pages,
           pg_catalog.pg_relation_size(x.indrelid) / pg_catalog.current_setting(
             'block_size')::int as table_pages
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_index x on x.indexrelid = i.inhrelid
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    cross join lateral pg_catalog.pg_options_to_table(c.reloptions) o
    where i.inhparent in ('tasker.step_moves_xact_id_idx'::regclass,
                          'tasker.task_moves_xact_id_created_at_idx'::regclass)
      and o.option_name = 'pages_per_range'
  loop
    begin
      v_range := v_index.table_pages / v_index.pages - 1;
      continue when v_range < 0;
      execute pg_catalog.format('lock table %s in share update exclusive mode', v_index.table_name);
      while v_range >= 0
          and pg_catalog.brin_summarize_range(v_index.index_name, v_range * v_index.pages) > 0 loop
        v_count := v_count + 1;
        v_range := v_range - 1;
      end loop;
    exception when lock_not_available then
      null;
    end;
  end loop;
  perform pg_catalog.set_config('lock_timeout', v_before, true);
  return v_count;
end
$$;
comment on function tasker.summarize_history() is
  'Updates the index summaries of history by transaction, so that reading the end of history is '
  'quick.';
