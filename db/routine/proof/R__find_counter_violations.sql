-- Stored counters that differ from a recount: one row per finding. Without nested loops: where
-- statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/glossary.md, docs/reference/invariants.md.
create or replace function tasker.find_counter_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with task_recounts as (
    select s.task_uuid, count(*) as total,
           -- A worker of a batch that failed is counted by its batch.
           count(
             *) filter (where s.state not in ('complete', 'resolved_manually')
                        and (s.batch_step_uuid is null or s.state <> 'error')) as unfinished,
           count(
             *) filter (where s.state in ('enqueued', 'in_progress', 'enqueued_for_orchestration',
                                          'enqueued_as_error_for_orchestration')) as in_flight,
           count(*) filter (where s.state = 'error' and s.batch_step_uuid is null) as failed,
           count(*) filter (where s.state = 'waiting_for_retry') as retrying
    from (
      select s.task_uuid, s.batch_step_uuid,
             -- Of a task that is compensated only the compensating steps are counted.
             case
               when t.compensation is not null and s.compensates_step_uuid is null then 'complete'
               else s.state end as state
      from tasker.workflow_steps s
      left join tasker.tasks t on t.task_uuid = s.task_uuid) s
    group by s.task_uuid),
  parent_recounts as (
    select e.to_step_uuid, count(*) as total,
           count(
             *) filter (where p.state is null
                        or p.state not in ('complete', 'resolved_manually')) as remaining
    from tasker.list_edges() e
    left join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid
    group by e.to_step_uuid)
  select 'task_counters_equal_a_recount',
         jsonb_build_object(
           'task_uuid', t.task_uuid,
           'kept', jsonb_build_array(t.total_steps, t.unfinished_steps, t.in_flight_steps,
                                     t.failed_steps, t.retrying_steps),
           'counted', jsonb_build_array(r.total, r.unfinished, r.in_flight, r.failed, r.retrying))
  from tasker.tasks t
  left join task_recounts r on r.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
    and (t.total_steps, t.unfinished_steps, t.in_flight_steps, t.failed_steps, t.retrying_steps)
      is distinct from (r.total, r.unfinished, r.in_flight, r.failed, r.retrying)
  union all
  select 'parent_counters_equal_a_recount',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'state', s.state,
                            'kept', jsonb_build_array(s.total_parents, s.remaining_parents),
                            'counted', jsonb_build_array(
                              coalesce(r.total, 0), coalesce(r.remaining, 0)))
  from tasker.workflow_steps s
  left join parent_recounts r on r.to_step_uuid = s.workflow_step_uuid
  where s.created_at >= coalesce(p_since, '-infinity')
    and (s.total_parents,
         s.remaining_parents) is distinct from (coalesce(r.total, 0), coalesce(r.remaining, 0))
  union all
  -- Verdicts expire a little before their action, and those of older actions may have gone.
  select 'bulk_action_counts_its_verdicts',
         jsonb_build_object('token', b.token,
                            'kept', jsonb_build_array(
                              b.done_tasks, b.already_tasks, b.refused_tasks),
                            'counted', jsonb_build_array(
                              coalesce(v.done, 0), coalesce(v.already, 0), coalesce(v.refused, 0)))
  from tasker.bulk_actions b
  left join (select t.token, count(*) filter (where t.outcome = 'done') as done,
                    count(*) filter (where t.outcome = 'already') as already,
                    count(*) filter (where t.outcome = 'refused') as refused
             from tasker.bulk_action_tasks t
             group by t.token) v on v.token = b.token
  where (b.started_at is null or b.started_at > now() - interval '29 days')
    and (b.done_tasks, b.already_tasks, b.refused_tasks)
      is distinct from (coalesce(v.done, 0), coalesce(v.already, 0), coalesce(v.refused, 0))
$$;
comment on function tasker.find_counter_violations(timestamptz) is
  'Stored counters that differ from a recount: one row per finding.';
