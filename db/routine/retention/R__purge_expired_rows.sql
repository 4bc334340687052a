-- Deletes the oldest rows of the tables in expiring_tables, up to p_limit of each, whose time is
-- more than keep_days ago; skips rows that another transaction has locked. Returns how many it
-- deleted. The creator of a table registers it: insert into tasker.expiring_tables values
-- ('my_table', 'my_time', 90).
-- Locks: the rows, skip locked.
create or replace function tasker.purge_expired_rows(
  p_limit int default 1000, p_now timestamptz default null)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_table record;
  v_count bigint;
  v_sum   bigint := 0;
begin
  for v_table in
    select x.*
    from tasker.expiring_tables x
    where x.keep_days is not null
      and to_regclass('tasker.' || quote_ident(x.table_name)) is not null
    order by x.table_name
  loop
    execute format(
      'delete from tasker.%1$I where ctid = any (array(
         select o.ctid from tasker.%1$I o
         where o.%2$I < $1
         order by o.%2$I limit $2
         for update skip locked))',
      v_table.table_name, v_table.time_column)
      using coalesce(p_now, clock_timestamp()) - v_table.keep_days * interval '1 day', p_limit;
    get diagnostics v_count = row_count;
    v_sum := v_sum + v_count;
  end loop;
  return v_sum;
end
$$;
comment on function tasker.purge_expired_rows(int, timestamptz) is
  'Deletes the oldest rows of the tables in expiring_tables whose time is more than keep_days ago.';
