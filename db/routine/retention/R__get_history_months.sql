-- The months of history that have partitions, oldest first, as they are named. The default
-- partitions are none of them. Reads only.
create or replace function tasker.get_history_months()
returns table (month timestamptz, next_month timestamptz, suffix text)
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select m.month, m.month + interval '1 month', m.suffix
  from (select distinct to_timestamp(right(c.relname, 7), 'YYYY_MM') as month,
               right(c.relname, 7) as suffix
        from pg_catalog.pg_inherits i
        join pg_catalog.pg_class c on c.oid = i.inhrelid
        where i.inhparent in ('tasker.task_moves'::regclass,
                              'tasker.step_moves'::regclass)
          and c.relname ~ '^(task|step)_moves_[0-9]{4}_[0-9]{2}$') m
  order by m.month
$$;
comment on function tasker.get_history_months() is
  'The months of history that have partitions, oldest first.';
