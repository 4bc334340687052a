-- Creations and ends of tasks by minute, template, state and, for ends, bucket of the duration
-- since the creation: what task_tallies and duration_tallies are made of. Of the transactions
-- p_from up to and without p_until (null: as far as the caller sees), made from p_since on and
-- before p_before. Reads only.
create or replace function tasker.tally_tasks(
  p_from bigint, p_until bigint default null, p_since timestamptz default '-infinity',
  p_before timestamptz default 'infinity')
returns table (minute timestamptz, named_task_uuid uuid, state tasker.task_state, bucket int,
               tasks bigint, steps bigint, failed_steps bigint,
               seconds numeric, least_seconds numeric, most_seconds numeric, last_at timestamptz)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select date_trunc('minute', h.created_at), t.named_task_uuid, h.to_state, d.bucket, count(*),
         sum(g.steps)::bigint, sum(t.failed_steps)::bigint, round(sum(d.seconds), 6),
         round(min(d.seconds), 6), round(max(d.seconds), 6), max(h.created_at)
  from tasker.task_transitions h
  join tasker.tasks t on t.task_uuid = h.task_uuid
  cross join lateral (select extract(epoch from h.created_at - t.created_at) as seconds) e
  cross join lateral (select e.seconds,
                             case when h.from_state is not null then
                                    tasker.calculate_duration_bucket(e.seconds) end as bucket) d
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  -- As many as it had then: only a task that has grown is counted.
  cross join lateral (
    select case when t.total_steps = nt.initial_steps then t.total_steps
                else t.total_steps - (select count(*)
                                      from tasker.workflow_steps a
                                      where a.task_uuid = t.task_uuid
                                        and a.created_at > h.created_at
                                        and a.created_at > t.created_at) end as steps) g
  where h.xact_id >= p_from
    and (p_until is null or h.xact_id < p_until)
    and h.created_at >= p_since
    and h.created_at < p_before
    and h.created_at > (select a.rebuilt_at from tasker.analytics_progress a)
    and (h.from_state is null or tasker.is_terminal(h.to_state))
  group by 1, 2, 3, 4;
end
$$;
comment on function tasker.tally_tasks(bigint, bigint, timestamptz, timestamptz) is
  'Counts the creations and ends of tasks by minute, template, state and duration bucket, over a '
  'range of transactions.';
