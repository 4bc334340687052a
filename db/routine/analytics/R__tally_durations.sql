-- Durations of the tasks that ended and of the executions of their steps, by quarter of an hour of the end and bucket, as in duration_tallies,
-- of the transactions p_from up to and without p_until (null: as far as the caller sees), ends from p_since on. What tally_tasks and
-- tally_steps count, counted by duration.
-- Reads only.
create or replace function tasker.tally_durations(p_from bigint, p_until bigint default null, p_since timestamptz default '-infinity')
returns setof tasker.duration_tallies
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  with ends as materialized (
    select h.task_uuid, h.created_at, date_bin('15 minutes', h.created_at, 'epoch') as quarter,
           coalesce((select max(e.created_at) from tasker.task_transitions e
                     where e.task_uuid = h.task_uuid and e.sort_key < h.sort_key and tasker.is_terminal(e.to_state)),
                    '-infinity'::timestamptz) as last_end
    from tasker.task_transitions h
    where h.xact_id >= p_from and (p_until is null or h.xact_id < p_until) and h.created_at >= p_since
      and h.created_at > (select a.rebuilt_at from tasker.analytics_progress a)
      and tasker.is_terminal(h.to_state)),
  durations(quarter, subject_uuid, bucket) as (
    select e.quarter, t.named_task_uuid, tasker.calculate_duration_bucket(extract(epoch from e.created_at - t.created_at))
    from ends e join tasker.tasks t on t.task_uuid = e.task_uuid
    union all
    select e.quarter, s.named_step_uuid, tasker.calculate_duration_bucket(r.execution_time_ms / 1000.0)
    from ends e
    join tasker.workflow_steps s on s.task_uuid = e.task_uuid
    join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    where r.execution_time_ms is not null and r.recorded_at <= e.created_at and r.recorded_at > e.last_end)
  select d.quarter, d.subject_uuid, d.bucket, count(*) from durations d group by 1, 2, 3;
end
$$;
comment on function tasker.tally_durations(bigint, bigint, timestamptz) is
  'Durations of the tasks that ended and of the executions of their steps, by quarter of an hour and bucket, of some transactions.';
