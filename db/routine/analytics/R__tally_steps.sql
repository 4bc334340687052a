-- Executions of the steps of tasks that ended or were blocked, by minute of that, step of the
-- template and bucket of the duration: what step_tallies and duration_tallies are made of. Of the
-- transactions p_from up to and without p_until (null: as far as the caller sees), ends from
-- p_since on and before p_before. An execution counts with the first end or block of its task after
-- it: what has failed counts while an operator has not acted yet. Reads only.
create or replace function tasker.tally_steps(
  p_from bigint, p_until bigint default null, p_since timestamptz default '-infinity',
  p_before timestamptz default 'infinity')
returns table (
  minute timestamptz, named_step_uuid uuid, bucket int, executions bigint, errors bigint,
  seconds numeric, least_seconds numeric, most_seconds numeric, last_at timestamptz)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  with ends as materialized (
    select h.task_uuid, h.created_at,
           coalesce((select max(e.created_at)
                     from tasker.task_transitions e
                     where e.task_uuid = h.task_uuid
                       and e.sort_key < h.sort_key
                       and (tasker.is_terminal(e.to_state) or e.to_state = 'blocked_by_failures')),
                    '-infinity'::timestamptz) as last_end
    from tasker.task_transitions h
    where h.xact_id >= p_from
      and (p_until is null or h.xact_id < p_until)
      and h.created_at >= p_since
      and h.created_at < p_before
      and h.created_at > (select a.rebuilt_at from tasker.analytics_progress a)
      and (tasker.is_terminal(h.to_state) or h.to_state = 'blocked_by_failures'))
  select date_trunc('minute', e.created_at), s.named_step_uuid,
         tasker.calculate_duration_bucket(r.execution_time_ms / 1000.0), count(*),
         count(*) filter (where not r.success), round(sum(r.execution_time_ms) / 1000.0, 6),
         round(min(r.execution_time_ms) / 1000.0, 6), round(max(r.execution_time_ms) / 1000.0, 6),
         max(r.recorded_at)
  from ends e
  join tasker.workflow_steps s on s.task_uuid = e.task_uuid
  join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
  where r.execution_time_ms is not null
    and r.recorded_at <= e.created_at
    and r.recorded_at > e.last_end
  group by 1, 2, 3;
end
$$;
comment on function tasker.tally_steps(bigint, bigint, timestamptz, timestamptz) is
  'Counts the executions of steps in tasks that ended or were blocked, by minute, template step '
  'and duration bucket, over a range of transactions.';
