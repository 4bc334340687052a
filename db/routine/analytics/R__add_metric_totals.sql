-- Adds the ends of tasks, the results of steps and the claims of the transactions p_from up to and
-- without p_until to metric_totals, and returns the number of rows that changed. A claim has waited
-- since the move before it, its offer, which is among these transactions, or in the step as long as
-- it has not been offered again; a claim of which neither is true is not counted: history has no
-- index by step. A successor that the finishing server claimed at once has not waited.
-- Locks: the rows of metric_totals; the caller holds the row of analytics_progress.
create or replace function tasker.add_metric_totals(p_from bigint, p_until bigint)
returns bigint
language plpgsql
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_count bigint;
begin
  -- One look-up by a key after another: as joins they may be made the other way round, quadratic.
  with ends as (
    select 'task' as metric, h.task_uuid, h.to_state::text as label,
           extract(epoch from h.created_at - (select t.created_at
                                              from tasker.tasks t
                                              where t.task_uuid = h.task_uuid)) as seconds
    from tasker.task_transitions h
    where h.xact_id >= p_from
      and h.xact_id < p_until
      and h.created_at > (select p.rebuilt_at from tasker.analytics_progress p)
      and h.from_state is not null
      and tasker.is_terminal(h.to_state)),
  moves as materialized (
    select h.task_uuid, h.workflow_step_uuid, h.sort_key, h.handoff, h.from_state, h.to_state,
           h.created_at,
           lag(h.created_at) over (partition by h.workflow_step_uuid
                                   order by h.sort_key) as offered_at
    from tasker.workflow_step_transitions h
    where h.xact_id >= p_from
      and h.xact_id < p_until
      and h.created_at > (select p.rebuilt_at from tasker.analytics_progress p)),
  results as (
    select m.task_uuid, r.label, r.attempt, r.seconds
    from moves m
    cross join lateral (
      select a.outcome::text as label, a.attempt,
             coalesce(a.execution_time_ms, 0) / 1000.0 as seconds
      from tasker.workflow_step_result_audit a
      where a.workflow_step_uuid = m.workflow_step_uuid
        and a.sort_key = m.sort_key
      limit 1) r
    where m.to_state not in ('pending', 'enqueued', 'in_progress')),
  claims as (
    select 'wait' as metric, m.task_uuid, '' as label,
           extract(epoch from m.created_at - o.offered_at) as seconds
    from moves m
    cross join lateral (
      select coalesce(m.offered_at, (select s.enqueued_at
                                     from tasker.workflow_steps s
                                     where s.workflow_step_uuid = m.workflow_step_uuid
                                       and s.handoffs = m.handoff)) as offered_at) o
    where m.from_state = 'enqueued'
      and m.to_state = 'in_progress'
      and o.offered_at is not null),
  events as (
    select e.metric, e.task_uuid, e.label, e.seconds from ends e
    union all
    select 'step', r.task_uuid, r.label, r.seconds from results r
    union all
    select 'retry', r.task_uuid, '', 0 from results r where r.attempt > 1
    union all
    select c.metric, c.task_uuid, c.label, c.seconds from claims c),
  grouped as materialized (
    select e.metric,
           (select t.named_task_uuid
            from tasker.tasks t
            where t.task_uuid = e.task_uuid) as named_task_uuid,
           e.label,
           1 + (select count(*)::int
                from unnest(tasker.get_metric_bounds()) b
                where b < e.seconds) as bucket,
           count(*) as events, sum(e.seconds) as seconds
    from events e
    group by 1, 2, 3, 4),
  named as materialized (
    select g.metric, ns.name as namespace, nt.name as template, g.label, g.bucket,
           sum(g.events) as events, round(sum(g.seconds), 6) as seconds
    from grouped g
    join tasker.named_tasks nt on nt.named_task_uuid = g.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    group by 1, 2, 3, 4, 5),
  ranked as (
    insert into tasker.metric_templates (namespace, template)
    select distinct n.namespace, n.template
    from named n
    where not exists (select
                      from tasker.metric_templates m
                      where m.namespace = n.namespace
                        and m.template = n.template)
    order by 1, 2)
  insert into tasker.metric_totals as a
    (metric, namespace, template, label, bucket, events, seconds)
  select n.metric, n.namespace, n.template, n.label, n.bucket, n.events, n.seconds
  from named n
  order by 1, 2, 3, 4, 5
  on conflict (metric, namespace, template, label, bucket) do update
    set events = a.events + excluded.events, seconds = a.seconds + excluded.seconds;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function tasker.add_metric_totals(bigint, bigint) is
  'Adds what a range of transactions recorded to metric_totals: ended tasks, results of steps '
  'and claims.';
