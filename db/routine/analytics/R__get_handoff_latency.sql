-- How long handoffs waited for their acceptance: from the move to enqueued to the claim of the same
-- handoff, both of which are in the history, per namespace and over the latest p_window. Offers
-- that no worker has accepted yet are counted beside them (waiting), with the age of the oldest,
-- and those that recovery watches because no worker claims them (stuck). Bounded: at most p_sample
-- of the latest claims, found by the primary keys of the last tasks that were created or can move.
-- Milliseconds. A successor that the finishing server claimed at once has waited 0.
-- Locks: none.
create or replace function tasker.get_handoff_latency(
  p_window interval default '5 minutes', p_sample int default 5000, p_now timestamptz default null)
returns table (namespace varchar, accepted bigint, p50_ms numeric, p95_ms numeric, p99_ms numeric,
               max_ms numeric, waiting bigint,
               oldest_waiting_seconds numeric, stuck bigint)
language sql stable
set search_path = '' set jit = off
as $$
  with clock as materialized (select coalesce(p_now, clock_timestamp()) as now),
  -- The newest tasks, by their key, and the unfinished ones.
  recent as (
    (select t.task_uuid
     from tasker.tasks t
     order by t.task_uuid desc
     limit p_sample) union (
      select w.task_uuid from tasker.task_wakeups w order by w.wake_at limit p_sample)),
  named as materialized (
    select r.task_uuid, ns.name as namespace
    from recent r
    join tasker.tasks t on t.task_uuid = r.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid),
  steps as materialized (
    select n.namespace, s.workflow_step_uuid, s.state, s.enqueued_at, s.last_attempted_at
    from named n
    join tasker.workflow_steps s on s.task_uuid = n.task_uuid, clock c
    where s.state = 'enqueued' or s.last_attempted_at >= c.now - p_window),
  claims as (
    select s.workflow_step_uuid, s.namespace
    from steps s
    where s.state <> 'enqueued'
    order by s.last_attempted_at desc limit p_sample),
  latencies as (
    select c.namespace, extract(epoch from a.created_at - h.created_at) * 1000 as ms
    from claims c
    join tasker.workflow_step_transitions a on a.workflow_step_uuid = c.workflow_step_uuid
      and a.from_state = 'enqueued'
      and a.to_state = 'in_progress'
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = a.workflow_step_uuid
      and h.sort_key = a.sort_key - 1
    cross join clock
    where a.created_at >= clock.now - p_window),
  measured as (
    select l.namespace, count(*) as accepted,
           percentile_cont(array[0.5, 0.95, 0.99, 1.0]) within group (order by l.ms) as p
    from latencies l
    group by l.namespace),
  offers as (
    select s.namespace, count(*) as waiting,
           max(extract(epoch from c.now - s.enqueued_at)) as oldest
    from steps s, clock c
    where s.state = 'enqueued'
    group by s.namespace),
  watched as (
    select ns.name as namespace, count(*) as stuck
    from tasker.unclaimed_offers w
    join tasker.tasks t on t.task_uuid = w.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    group by ns.name)
  select ns.name, coalesce(m.accepted, 0), round(m.p[1]::numeric, 3), round(m.p[2]::numeric, 3),
         round(m.p[3]::numeric, 3), round(m.p[4]::numeric, 3), coalesce(o.waiting, 0),
         round(o.oldest, 1), coalesce(w.stuck, 0)
  from tasker.task_namespaces ns
  left join measured m on m.namespace = ns.name
  left join offers o on o.namespace = ns.name
  left join watched w on w.namespace = ns.name
  where m.accepted is not null or o.waiting is not null or w.stuck is not null
  order by ns.name
$$;
comment on function tasker.get_handoff_latency(interval, int, timestamptz) is
  'How long handoffs waited for their acceptance, and how many offers wait or are stuck, per '
  'namespace.';
