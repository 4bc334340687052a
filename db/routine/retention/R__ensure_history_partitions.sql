-- Makes the monthly partitions of both histories, from the current month (UTC) on. One row for each
-- that was not there: outcome created; kept_in_default when rows of that month are in the default
-- partition already, where the month then stays; postponed when writers held the table for longer
-- than a second. Idempotent, and never fails for what it finds.
-- Locks: an advisory lock against itself; the history tables shortly, as attaching a partition
-- does.
create or replace function tasker.ensure_history_partitions(
  p_months_ahead int default 2, p_now timestamptz default null)
returns table (partition_name text, outcome text)
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO' set lock_timeout = '1s'
as $$
#variable_conflict use_column
declare
  v_first timestamptz := date_trunc('month', coalesce(p_now, clock_timestamp()));
  v_part  record;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('tasker.ensure_history_partitions'));
  for v_part in
    select h.parent, h.parent || to_char(v_first + m * interval '1 month', '"_"YYYY"_"MM') as name,
           v_first + m * interval '1 month' as from_time,
           v_first + (m + 1) * interval '1 month' as to_time
    from unnest(array['task_moves', 'step_moves']) as h(parent),
         generate_series(0, p_months_ahead) as m
    order by m, h.parent
  loop
    continue when to_regclass('tasker.' || v_part.name) is not null;
    partition_name := v_part.name;
    begin
      execute format(
        'create table tasker.%I (like tasker.%I including all)
           with (autovacuum_vacuum_insert_scale_factor = 0.02,
                 autovacuum_vacuum_insert_threshold = 50000)',
        v_part.name, v_part.parent);
      execute format(
        'alter table tasker.%I attach partition tasker.%I for values from (%L) to (%L)',
        v_part.parent, v_part.name, v_part.from_time, v_part.to_time);
      outcome := 'created';
    exception
      -- Attaching looks through the default partition for rows of the month.
      when check_violation then outcome := 'kept_in_default';
      when lock_not_available then outcome := 'postponed';
    end;
    return next;
  end loop;
end
$$;
comment on function tasker.ensure_history_partitions(int, timestamptz) is
  'Makes the monthly partitions of both histories, from the current month on.';
