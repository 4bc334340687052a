-- Analyzes the tables that have grown fourfold in pages or rows since their statistics were taken,
-- and more than 4 pages or 200 rows. Autovacuum does so too, a minute later: until then a
-- connection keeps the plans that it made while the tables were empty, which scan a whole table for
-- one step. Rows are counted too because a table that was emptied keeps its pages. Returns the
-- tables. Skips a table that another session analyzes, or that the caller does not own.
-- Locks: as ANALYZE, until the end of the transaction.
create or replace function tasker.analyze_grown_tables()
returns text[]
language plpgsql
set search_path = ''
as $$
declare
  v_table  regclass;
  v_tables text[] := '{}';
begin
  for v_table in
    select c.oid
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('tasker', 'pgmq')
      and c.relkind = 'r'
      and pg_catalog.pg_has_role(c.relowner, 'USAGE')
      and (pg_catalog.pg_relation_size(c.oid)
             > 4 * greatest(c.relpages, 1) * pg_catalog.current_setting('block_size')::bigint
           or pg_catalog.pg_stat_get_live_tuples(c.oid) > 4 * greatest(c.reltuples, 50))
    order by c.relname
  loop
    execute pg_catalog.format('analyze (skip_locked) %s', v_table);
    v_tables := v_tables || v_table::text;
  end loop;
  return v_tables;
end
$$;
comment on function tasker.analyze_grown_tables() is
  'Analyzes the tables that have grown fourfold in pages or rows since their statistics were '
  'taken.';
