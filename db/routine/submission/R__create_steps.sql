-- Creates the steps, wake-ups and first history of newly inserted tasks, without the steps
-- downstream of a decision (expand_decisions). A task inserted as steps_in_process has its roots
-- handed off here: they are born in the state that the handoff gives them, the moves that lead
-- there are in the history.
-- A root that p_server_uuid does not serve is offered, never claimed.
-- Locks: none but the new rows. Returns the handoffs.
create or replace function tasker.create_steps(
  p_task_uuids uuid[], p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_now timestamptz)
returns tasker.step_handoff[]
language plpgsql
set search_path = ''
as $$
declare
  v_handoffs  tasker.step_handoff[];
  v_served    jsonb := case
    when p_claim_limit > 0 then tasker.get_served_handlers(p_server_uuid) end;
begin
  with new_tasks as (
    select t.task_uuid, t.named_task_uuid, t.claim_order, t.correlation_id, ns.name as namespace,
           case when t.is_delayed then t.start_at end as starts_at,
           t.state = 'steps_in_process' as is_started, t.is_limited,
           t.created_at + least(nt.max_duration, nt.sla_minutes * interval '1 minute') as limit_at
    from unnest(p_task_uuids) as u(task_uuid)
    -- By the key of each: the offset keeps the planner from reading all tasks at once where it
    -- takes them for few.
    cross join lateral (select a.* from tasker.tasks a where a.task_uuid = u.task_uuid offset 0) t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid),
  keyed_steps as materialized (
    select t.task_uuid, tasker.uuid_v7() as step_uuid, n.named_step_uuid, n.step_position,
           cardinality(n.parent_positions) as parents,
           n.default_max_attempts, n.default_retryable, t.namespace, t.claim_order,
           t.correlation_id, t.is_started and n.parent_positions = '{}' as is_handed_off,
           t.is_limited, n.handler_key, n.queue_timeout_seconds,
           n.step_type = 'decision' as is_decision,
           n.handler_callable is null
             or n.wait_for is not null
             or n.step_type = 'batch_worker' as is_automatic,
           case when n.step_type = 'batchable' then true end as is_batchable,
           case when n.events is not null then true end as publishes_events,
           v_served is null
             or coalesce(v_served -> t.namespace::text ? n.handler_key, true) as is_served
    from new_tasks t
    join tasker.named_tasks_named_steps n on n.named_task_uuid = t.named_task_uuid
      and n.step_type <> 'compensation'
      and n.growth_rank is null),
  new_steps as (
    select s.*,
           row_number() over (partition by s.is_handed_off, s.is_served order by s.claim_order,
                              s.task_uuid, s.step_position) as turn
    from keyed_steps s),
  judged as (
    select s.*, s.is_handed_off and s.is_served and s.turn <= p_claim_limit as is_claimed
    from new_steps s),
  step_rows as (
    insert into tasker.workflow_steps
      (workflow_step_uuid, task_uuid, named_step_uuid, created_at, state, step_position,
       transition_count, total_parents, remaining_parents, handoffs, attempts, max_attempts,
       retryable, enqueued_at, last_attempted_at, lease_expires_at, leased_by, is_limited,
       is_decision, is_automatic, is_batchable, publishes_events)
    select j.step_uuid, j.task_uuid, j.named_step_uuid, p_now,
           case when j.is_claimed then 'in_progress'
                when j.is_handed_off then 'enqueued'
                else 'pending' end::tasker.step_state,
           j.step_position, 1 + j.is_handed_off::int + j.is_claimed::int,
           j.parents, j.parents, j.is_handed_off::int, j.is_handed_off::int,
           j.default_max_attempts, j.default_retryable, case when j.is_handed_off then p_now end,
           case when j.is_claimed then p_now end,
           case when j.is_claimed then tasker.calculate_lease_end(p_now, p_lease_seconds) end,
           case when j.is_claimed then p_server_uuid end, j.is_limited, j.is_decision,
           j.is_automatic, j.is_batchable, j.publishes_events
    from judged j),
  -- The first move of a step that is not handed off is part of its task's.
  births as (
    select b.task_uuid, bool_or(b.is_started) as is_started,
           array_agg(b.step_uuid) filter (where b.step_uuid is not null) as born_steps
    from (select t.task_uuid, t.is_started, null::uuid as step_uuid
          from new_tasks t
          union all
          select j.task_uuid, false, j.step_uuid
          from judged j
          where not j.is_handed_off) b
    group by b.task_uuid),
  wakeup_rows as (
    insert into tasker.task_wakeups (task_uuid, wake_at)
    select t.task_uuid,
           case when not t.is_started then coalesce(t.starts_at, p_now)
                -- Recovery must not come later than the leases end that are given here.
                when p_claim_limit > 0 then
                  least(p_now + least(30, p_lease_seconds + 1) * interval '1 second', t.limit_at)
                else least(p_now + (select tasker.calculate_check_interval()), t.limit_at) end
    from new_tasks t),
  step_history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
       processor_uuid)
    select j.step_uuid, 2 + j.is_claimed::int, j.task_uuid, null,
           case when j.is_claimed then 'in_progress'::tasker.step_state else 'enqueued' end,
           case when j.is_claimed then 'worker'::tasker.actor else 'orchestrator' end,
           case when j.is_claimed then 'created_and_claimed'::tasker.step_path_name
                else 'created_and_offered' end,
           1, 1, p_server_uuid
    from judged j
    where j.is_handed_off),
  task_history as (
    insert into tasker.task_moves
      (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid, born_steps)
    select b.task_uuid, case when b.is_started then 4 else 1 end, null,
           case when b.is_started then 'steps_in_process'::tasker.task_state else 'pending' end,
           'orchestrator',
           case when b.is_started then 'created_and_started'::tasker.task_path_name end,
           p_server_uuid, b.born_steps
    from births b)
  select coalesce(array_agg((j.step_uuid, j.task_uuid, 1, j.is_claimed, j.namespace, j.claim_order,
                             j.correlation_id, j.handler_key, 1,
                             j.queue_timeout_seconds)::tasker.step_handoff order by j.claim_order,
                            j.task_uuid, j.step_position),
                  '{}') into v_handoffs
  from judged j
  where j.is_handed_off;
  return v_handoffs;
end
$$;
comment on function tasker.create_steps(uuid[], uuid, int, int, timestamptz) is
  'Creates the steps, wake-ups and first history of newly inserted tasks.';
