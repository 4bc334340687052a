-- The tables whose old rows are deleted, for how many days rows are kept, and the time of the
-- oldest row; skips tables that do not exist. oldest_at is null when there is no row. Reads only.
create or replace function tasker.get_expiring_tables()
returns table (table_name text, keep_days int, oldest_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
declare
  v_table record;
begin
  for v_table in
    select x.*
    from tasker.expiring_tables x
    where to_regclass('tasker.' || quote_ident(x.table_name)) is not null
    order by x.table_name
  loop
    table_name := v_table.table_name;
    keep_days := v_table.keep_days;
    execute format('select o.%2$I from tasker.%1$I o order by o.%2$I limit 1', v_table.table_name,
                   v_table.time_column) into oldest_at;
    return next;
  end loop;
end
$$;
comment on function tasker.get_expiring_tables() is
  'The tables whose old rows are deleted, for how long rows are kept, and the time of the oldest '
  'row.';
