-- Accepts offers: compares (enqueued, handoff) and sets in_progress with a lease. Leaves out steps
-- that were offered again, cancelled or claimed meanwhile. The two arrays are parallel and sorted
-- by step, which is the order in which the rows are locked.
-- p_served: as get_served_handlers. Compares the handler of the template, not the one that the
-- message names.
create or replace function tasker.claim_offered_steps(
  p_step_uuids uuid[], p_handoffs int[], p_server_uuid uuid, p_lease_seconds int,
  p_now timestamptz default null, p_served jsonb default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_lease_end timestamptz := tasker.calculate_lease_end(v_now, p_lease_seconds);
  v_claimed   uuid[];
begin
  with offered as (
    select s.workflow_step_uuid, o.handoff
    from unnest(p_step_uuids, p_handoffs) as o(step_uuid, handoff)
    join tasker.workflow_steps s on s.workflow_step_uuid = o.step_uuid
    order by s.workflow_step_uuid
    for update of s),
  claimed as (
    update tasker.workflow_steps s
    set state = 'in_progress', transition_count = s.transition_count + 1, last_attempted_at = v_now,
        lease_expires_at = v_lease_end, leased_by = p_server_uuid
    from offered o
    where s.workflow_step_uuid = o.workflow_step_uuid
      and s.state = 'enqueued'
      and s.handoffs = o.handoff
      and (p_served is null
           or coalesce((select p_served -> ns.name::text ? n.handler_key
                        from tasker.named_tasks_named_steps n
                        join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
                        join tasker.task_namespaces ns
                          on ns.task_namespace_uuid = nt.task_namespace_uuid
                        where n.named_step_uuid = s.named_step_uuid),
                       true))
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid)
    select c.workflow_step_uuid, c.transition_count, c.task_uuid, 'enqueued', 'in_progress',
           'worker', c.handoffs, c.attempts, p_server_uuid
    from claimed c),
  -- The wake-up of a task that waited long in a queue may be late; recovery must run by the end of
  -- the lease. Claims of many tasks meet here without task locks: a session skips a locked row,
  -- because the other sets it to about the same time. By arrays of keys, and with the difference of
  -- the times: with a join the planner reads all wake-ups for each step while its statistics say
  -- that there are few, and for a comparison it may read them by the index on wake_at.
  late as (
    select w.task_uuid
    from tasker.task_wakeups w
    where w.task_uuid = any (array(select c.task_uuid from claimed c))
      and w.wake_at - v_lease_end > interval '0'
    for no key update of w skip locked),
  woken as (
    update tasker.task_wakeups w set wake_at = v_lease_end
    where w.task_uuid = any (array(select l.task_uuid from late l)))
  select coalesce(array_agg(c.workflow_step_uuid order by c.workflow_step_uuid), '{}')
    into v_claimed
  from claimed c;
  return v_claimed;
end
$$;
comment on function tasker.claim_offered_steps(uuid[], int[], uuid, int, timestamptz, jsonb) is
  'Accepts offers: compares (enqueued, handoff) and sets in_progress with a lease.';
