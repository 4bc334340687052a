-- Tallies of the analytics that differ from a recount: one row per finding. States: the counts plus
-- the moves since then must equal the rows of the tables. Minutes: only those after the last purge,
-- the last dropped month and the last rebuild, since the recount needs the tasks. A database that
-- was restored from a dump has new transaction numbers, and reports nothing until the first roll-up
-- after that. Without nested loops: where statistics are missing or old, one over the whole
-- history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_tally_violations()
returns table (invariant text, example jsonb)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_nestloop = off
as $$
declare
  v_next_xact bigint;
  v_since     timestamptz;
begin
  select a.next_xact, greatest(a.rebuilt_at + interval '1 minute', now() - interval '34 days',
           (select max(g.last_move_at) from tasker.purged_tasks g) + interval '1 minute',
           (select max(d.month) from tasker.dropped_history d) + interval '1 month')
    into v_next_xact, v_since
  from tasker.analytics_progress a
  where a.next_xact <= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint;
  if v_next_xact is null then
    return;
  end if;
  v_since := date_trunc('minute', v_since + interval '1 minute');

  return query
  with changes as materialized (select c.* from tasker.count_task_moves(v_next_xact) c),
  counted(kind, state, tallied) as (
    select 'task', u.state, sum(u.n)
    from (select y.state::text, y.tasks as n
          from tasker.task_state_tallies y
          union all
          select c.task_state::text, c.change from changes c where c.task_state is not null) u
    group by u.state
    union all
    select 'step', u.state, sum(u.n)
    from (select y.state::text, y.steps as n
          from tasker.step_state_tallies y
          union all
          select c.step_state::text, c.change from changes c where c.step_state is not null) u
    group by u.state),
  present(kind, state, found) as (
    select 'task', t.state::text, count(*)
    from tasker.tasks t
    group by t.state
    union all
    select 'step', s.state::text, count(*)
    from tasker.workflow_steps s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    where t.completed_at is not null
    group by s.state)
  select 'tallies_equal_a_recount',
         jsonb_build_object('kind', coalesce(c.kind, p.kind), 'state', coalesce(c.state, p.state),
                            'tallied', coalesce(c.tallied, 0), 'counted', coalesce(p.found, 0))
  from counted c
  full join present p on p.kind = c.kind and p.state = c.state
  where coalesce(c.tallied, 0) <> coalesce(p.found, 0);

  return query
  with moves as (
    select date_trunc('minute', h.created_at) as minute, t.named_task_uuid, h.to_state,
           t.total_steps - (select count(*)
                            from tasker.workflow_steps a
                            where a.task_uuid = t.task_uuid
                              and a.created_at > h.created_at
                              and a.created_at > t.created_at) as total_steps,
           extract(epoch from h.created_at - t.created_at) as seconds
    from tasker.task_transitions h
    join tasker.tasks t on t.task_uuid = h.task_uuid
    where h.xact_id < v_next_xact
      and h.created_at >= v_since
      and (h.from_state is null
           or h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually'))),
  recounted as (
    select m.minute, m.named_task_uuid, m.to_state as state, count(*) as tasks,
           sum(m.total_steps) as steps, sum(m.seconds) as seconds, min(m.seconds) as least,
           max(m.seconds) as most
    from moves m
    group by 1, 2, 3),
  tallied as (select y.* from tasker.task_tallies y where y.minute >= v_since)
  select 'tallies_equal_a_recount',
         jsonb_build_object('minute', coalesce(y.minute, r.minute),
                            'named_task_uuid', coalesce(y.named_task_uuid, r.named_task_uuid),
                            'state', coalesce(y.state, r.state), 'tallied', coalesce(y.tasks, 0),
                            'counted', coalesce(r.tasks, 0))
  from recounted r
  full join tallied y on y.minute = r.minute
    and y.named_task_uuid = r.named_task_uuid
    and y.state = r.state
  where (y.tasks, y.steps) is distinct from (r.tasks, r.steps)
    or abs(y.seconds - r.seconds) > 1
    or abs(y.least_seconds - r.least) > 1
    or abs(y.most_seconds - r.most) > 1;

  return query
  with ends as (
    select h.task_uuid, h.created_at, h.xact_id,
           lag(h.created_at, 1, '-infinity') over (
             partition by h.task_uuid order by h.sort_key) as last_end
    from tasker.task_transitions h
    where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually',
                         'blocked_by_failures')),
  recounted as (
    select date_trunc('minute', e.created_at) as minute, s.named_step_uuid, count(*) as executions,
           count(*) filter (where not r.success) as errors,
           sum(r.execution_time_ms) / 1000.0 as seconds, min(r.execution_time_ms) / 1000.0 as least,
           max(r.execution_time_ms) / 1000.0 as most
    from ends e
    join tasker.workflow_step_result_audit r on r.task_uuid = e.task_uuid
      and r.recorded_at <= e.created_at
      and r.recorded_at > e.last_end
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    where e.xact_id < v_next_xact and e.created_at >= v_since and r.execution_time_ms is not null
    group by 1, 2),
  tallied as (select y.* from tasker.step_tallies y where y.minute >= v_since)
  select 'tallies_equal_a_recount',
         jsonb_build_object('minute', coalesce(y.minute, r.minute),
                            'named_step_uuid', coalesce(y.named_step_uuid, r.named_step_uuid),
                            'tallied', coalesce(y.executions, 0),
                            'counted', coalesce(r.executions, 0))
  from recounted r
  full join tallied y on y.minute = r.minute and y.named_step_uuid = r.named_step_uuid
  where (y.executions, y.errors) is distinct from (r.executions, r.errors)
    or abs(y.seconds - r.seconds) > 0.01
    or abs(y.least_seconds - r.least) > 0.01
    or abs(y.most_seconds - r.most) > 0.01;

  return query
  with ends as (
    select h.task_uuid, h.created_at, h.xact_id, h.to_state,
           lag(h.created_at, 1, '-infinity') over (
             partition by h.task_uuid order by h.sort_key) as last_end
    from tasker.task_transitions h
    where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually',
                         'blocked_by_failures')),
  durations(ended_at, subject_uuid, seconds) as (
    select e.created_at, t.named_task_uuid, extract(epoch from e.created_at - t.created_at)
    from ends e
    join tasker.tasks t on t.task_uuid = e.task_uuid
    where e.xact_id < v_next_xact
      and e.created_at >= v_since
      and e.to_state <> 'blocked_by_failures'
    union all
    select e.created_at, s.named_step_uuid, r.execution_time_ms / 1000.0
    from ends e
    join tasker.workflow_step_result_audit r on r.task_uuid = e.task_uuid
      and r.recorded_at <= e.created_at
      and r.recorded_at > e.last_end
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    where e.xact_id < v_next_xact and e.created_at >= v_since and r.execution_time_ms is not null),
  recounted as (
    select date_bin('15 minutes', d.ended_at, 'epoch') as quarter, d.subject_uuid,
           tasker.calculate_duration_bucket(d.seconds) as bucket, count(*) as executions
    from durations d
    group by 1, 2, 3),
  tallied as (select y.* from tasker.duration_tallies y)
  select 'tallies_equal_a_recount',
         jsonb_build_object('quarter', coalesce(y.quarter, r.quarter),
                            'subject_uuid', coalesce(y.subject_uuid, r.subject_uuid),
                            'bucket', coalesce(y.bucket, r.bucket),
                            'tallied', coalesce(y.executions, 0),
                            'counted', coalesce(r.executions, 0))
  from recounted r
  full join tallied y on y.quarter = r.quarter
    and y.subject_uuid = r.subject_uuid
    and y.bucket = r.bucket
  -- Whole quarters only.
  where coalesce(y.quarter, r.quarter) >= v_since and y.executions is distinct from r.executions;
end
$$;
comment on function tasker.find_tally_violations() is
  'Tallies of the analytics that differ from a recount: one row per finding.';
