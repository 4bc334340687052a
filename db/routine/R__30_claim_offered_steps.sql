-- Accepts offers: compares (enqueued, attempt) and sets in_progress with a lease. Steps that were offered again,
-- cancelled or taken meanwhile are left out. The two arrays go together and are sorted by step, which is the order in
-- which the rows are locked.
-- Source: design decisions 4, 6. Called by claim_steps.
create or replace function tasker.claim_offered_steps(
  p_step_uuids uuid[], p_attempts int[], p_server_uuid uuid, p_lease_seconds int, p_now timestamptz default null)
returns uuid[]
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_claimed uuid[];
begin
  with offered as (
    select s.workflow_step_uuid, o.attempt
    from unnest(p_step_uuids, p_attempts) as o(step_uuid, attempt)
    join tasker.workflow_steps s on s.workflow_step_uuid = o.step_uuid
    order by s.workflow_step_uuid
    for update of s),
  claimed as (
    update tasker.workflow_steps s
    set state = 'in_progress', transition_count = s.transition_count + 1, last_attempted_at = v_now,
        lease_expires_at = v_now + p_lease_seconds * interval '1 second', leased_by = p_server_uuid
    from offered o
    where s.workflow_step_uuid = o.workflow_step_uuid and s.state = 'enqueued' and s.attempts = o.attempt
    returning s.workflow_step_uuid, s.task_uuid, s.attempts, s.transition_count, s.lease_expires_at),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, attempt, processor_uuid)
    select c.workflow_step_uuid, c.transition_count, c.task_uuid, 'enqueued', 'in_progress', 'worker', c.attempts, p_server_uuid
    from claimed c),
  -- A task that waited long in a queue may have a late wake-up; recovery must not come later than the lease ends.
  -- Claims of many tasks cross here without their locks: whoever finds a row taken leaves it to the other, who is setting
  -- it to about the same time.
  late as (
    select w.task_uuid, c.lease_expires_at
    from (select c.task_uuid, min(c.lease_expires_at) as lease_expires_at from claimed c group by c.task_uuid) c
    join tasker.task_wakeups w on w.task_uuid = c.task_uuid
    where w.wake_at > c.lease_expires_at
    for no key update of w skip locked),
  woken as (
    update tasker.task_wakeups w set wake_at = l.lease_expires_at from late l where w.task_uuid = l.task_uuid)
  select coalesce(array_agg(c.workflow_step_uuid order by c.workflow_step_uuid), '{}') into v_claimed from claimed c;
  return v_claimed;
end
$$;
comment on function tasker.claim_offered_steps(uuid[], int[], uuid, int, timestamptz) is
  'Accepts offers: compares (enqueued, attempt) and sets in_progress with a lease.';
