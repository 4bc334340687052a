-- Submits child tasks, and arms the waits of their steps. A step whose child cannot be submitted
-- (no such template, a context that does not fit) ends in error, child_not_submitted.
-- p_requests: as submit_tasks has them. p_waits: of each the wait of its step: {step_uuid,
-- task_uuid, due_at, attempt, armed_at}.
-- o_deltas: what the caller has to roll up; o_claimed: first steps of children that the server got
-- without a message; o_queued: the namespaces in which the others were offered; o_next_due_at: when
-- the first of the waits is due, or now where an orchestrator still has to start the child.
-- Locks: of tasks only those that it creates; the caller holds the parents. Source: ADR 0043.
create or replace function tasker.submit_children(
  p_requests jsonb[], p_waits jsonb[], p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_now timestamptz,
  out o_deltas tasker.task_delta[], out o_claimed uuid[], out o_queued text[],
  out o_next_due_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_reply jsonb;
  v_step  record;
begin
  o_deltas := '{}';
  v_reply := tasker.submit_tasks(
    to_jsonb(p_requests), p_server_uuid, p_claim_limit, p_lease_seconds, true, false, p_now)::jsonb;
  o_claimed := array(select jsonb_array_elements_text(v_reply -> 'claimed_steps')::uuid);
  o_queued := array(select jsonb_array_elements_text(v_reply -> 'queued'));
  with created as materialized (
    select a.*, v.value as verdict
    from jsonb_array_elements(v_reply -> 'verdicts') with ordinality as v
    cross join lateral jsonb_to_record(p_waits[v.ordinality])
      as a(step_uuid uuid, task_uuid uuid, due_at timestamptz, attempt int, armed_at timestamptz)
    where v.value ->> 'verdict' = 'created'),
  armed as (
    insert into tasker.step_waits
      (task_uuid, workflow_step_uuid, kind, armed_at, due_at, child_task_uuid, attempt)
    select c.task_uuid, c.step_uuid, 'child', c.armed_at, c.due_at,
           (c.verdict ->> 'task_uuid')::uuid, c.attempt
    from created c),
  woken as (
    update tasker.task_wakeups w set wake_at = c.due_at
    from (select c.task_uuid, min(c.due_at) as due_at
          from created c
          where c.due_at is not null
          group by 1) c
    where w.task_uuid = c.task_uuid and w.wake_at > c.due_at)
  -- A child that an orchestrator still has to start or validate.
  select least(min(c.due_at),
               min(v_now) filter (where c.verdict ->> 'state' = 'pending')) into o_next_due_at
  from created c;
  for v_step in
    select (p_waits[v.ordinality] ->> 'step_uuid')::uuid as step_uuid, v.value as verdict,
           p_requests[v.ordinality] as request
    from jsonb_array_elements(v_reply -> 'verdicts') with ordinality as v
    where v.value ->> 'verdict' <> 'created'
  loop
    o_deltas := o_deltas || tasker.end_automatic_step(
      v_step.step_uuid, null,
      jsonb_build_object(
        'type', 'child_not_submitted',
        'message', coalesce(v_step.verdict ->> 'message',
                            format('the child task is %s', v_step.verdict ->> 'verdict')),
        'details', jsonb_strip_nulls(jsonb_build_object('field', v_step.verdict -> 'field',
                                                        'namespace', v_step.request -> 'namespace',
                                                        'name', v_step.request -> 'name'))),
      p_server_uuid, v_now);
  end loop;
end
$$;
comment on function tasker.submit_children(
  jsonb[], jsonb[], uuid, int, int, timestamptz) is
  'Submits child tasks, and arms the waits of their steps.';
