-- Counts failed steps on their tasks before everything else that the same transaction counts. The
-- same update takes them out of in_flight_steps, or the counters would not add up.
-- Locks: task rows, held by the caller.
create or replace function tasker.count_failures(p_deltas tasker.task_delta[])
returns void
language sql
set search_path = ''
as $$
  update tasker.tasks t
  set failed_steps = t.failed_steps + d.failed, in_flight_steps = t.in_flight_steps - d.failed
  from (select u.task_uuid, sum(u.failed)::int as failed
        from unnest(p_deltas) u
        group by u.task_uuid
        having sum(u.failed) > 0) d
  where t.task_uuid = d.task_uuid
$$;
comment on function tasker.count_failures(tasker.task_delta[]) is
  'Counts failed steps on their tasks before everything else that the same transaction counts.';
