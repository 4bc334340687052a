-- Makes the history partitions of this month and the next two where they are missing; says which,
-- and what came of each, as a JSON array. Locks: as ensure_history_partitions.
create or replace function tasker.make_history_partitions()
returns jsonb
language sql
set search_path = ''
as $$
  select coalesce(
           jsonb_agg(jsonb_build_object('partition', p.partition_name, 'outcome', p.outcome)), '[]')
  from tasker.ensure_history_partitions(2) p
$$;
comment on function tasker.make_history_partitions() is
  'Makes the history partitions of this month and the next two where they are missing.';
