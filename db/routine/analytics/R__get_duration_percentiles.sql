-- The 50th, 95th and 99th percentiles of the durations of tasks by template, or of executions by
-- step, since the beginning of the quarter of an hour of p_since, to the last move that the caller
-- sees. A percentile is that of the bucket with the nearest rank: it differs from the exact one by
-- less than 5 percent, or a millisecond. A task lasts to the row of its history that ends it.
-- p_subject_uuids: named_task_uuid or named_step_uuid; without an end since then they have no row.
-- Reads only; costs a row per quarter, subject and bucket, and what is not counted yet.
create or replace function tasker.get_duration_percentiles(
  p_subject_uuids uuid[], p_since timestamptz)
returns table (subject_uuid uuid, p50_seconds numeric, p95_seconds numeric, p99_seconds numeric)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
#variable_conflict use_column
declare
  v_next_xact bigint;
  v_quarter   timestamptz := date_bin('15 minutes', p_since, 'epoch');
begin
  if p_subject_uuids is null or p_subject_uuids = '{}' then
    return;
  end if;
  select a.next_xact into strict v_next_xact from tasker.analytics_progress a;
  return query
  with tallies as (
    select y.subject_uuid, y.bucket, y.executions
    from tasker.duration_tallies y
    where y.quarter >= v_quarter and y.subject_uuid = any (p_subject_uuids)
    union all
    select y.named_task_uuid, y.bucket, y.tasks
    from tasker.tally_tasks(v_next_xact, null, v_quarter) y
    where y.bucket is not null and y.named_task_uuid = any (p_subject_uuids)
    union all
    select y.named_step_uuid, y.bucket, y.executions
    from tasker.tally_steps(v_next_xact, null, v_quarter) y
    where y.named_step_uuid = any (p_subject_uuids)),
  buckets as (
    select t.subject_uuid, t.bucket, sum(t.executions) as executions from tallies t group by 1, 2),
  ranked as (
    select b.subject_uuid, b.bucket,
           sum(b.executions) over (partition by b.subject_uuid order by b.bucket) as up_to_here,
           sum(b.executions) over (partition by b.subject_uuid) as executions
    from buckets b)
  select r.subject_uuid,
         tasker.get_bucket_seconds(
           min(r.bucket) filter (where r.up_to_here >= 0.50 * r.executions)),
         tasker.get_bucket_seconds(
           min(r.bucket) filter (where r.up_to_here >= 0.95 * r.executions)),
         tasker.get_bucket_seconds(min(r.bucket) filter (where r.up_to_here >= 0.99 * r.executions))
  from ranked r
  group by r.subject_uuid;
end
$$;
comment on function tasker.get_duration_percentiles(uuid[], timestamptz) is
  'The 50th, 95th and 99th percentiles of the durations of tasks by template, or of executions '
  'by step.';
