-- The orchestrator's part after a result submission: settles submitted steps, counts down the
-- children, hands off the steps that became ready, creates what decisions chose, continues batches,
-- and rolls up the task states. p_completed are already complete; p_unsettled are in a submitted
-- state; p_deltas are the counter changes that the caller has already computed. Locks: the caller
-- holds the tasks.
-- o_queued are the namespaces that got messages, o_ended the tasks that are now terminal or
-- blocked, o_next_retry_at the earliest retry that this call scheduled, or the earliest end of a
-- wait that it armed.
create or replace function tasker.advance_tasks(
  p_completed uuid[], p_unsettled uuid[], p_deltas tasker.task_delta[], p_server_uuid uuid,
  p_claim_limit int,
  p_lease_seconds int, p_now timestamptz default null,
  out o_claimed uuid[], out o_queued text[], out o_ended jsonb, out o_next_retry_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  v_completed uuid[] := p_completed;
  v_deltas    tasker.task_delta[] := p_deltas;
  v_settled   record;
  v_released  record;
  v_growth    record;
  v_ready     uuid[];
  v_handoffs  tasker.step_handoff[];
  v_batches   uuid[] := '{}';
  v_due       uuid[] := '{}';
  v_workers   uuid[];
  v_grows     boolean := false;
begin
  o_ended := '[]';
  o_queued := '{}';
  o_claimed := '{}';
  if cardinality(p_unsettled) > 0 then
    v_settled := tasker.settle_steps(p_unsettled, p_server_uuid, p_now);
    v_completed := v_completed || v_settled.o_completed;
    v_deltas := v_deltas || v_settled.o_deltas;
    -- A failure decides whether other steps of its task may start, so it is counted before the
    -- children.
    if exists (select from unnest(v_settled.o_deltas) d where d.failed > 0) then
      perform tasker.count_failures(v_settled.o_deltas);
      v_deltas := p_deltas || (select array_agg((d.task_uuid, d.in_flight + d.failed, d.unfinished,
                                                 0, d.retrying)::tasker.task_delta)
                               from unnest(v_settled.o_deltas) d);
    end if;
    v_batches := tasker.count_batch_workers(p_unsettled);
    select min(s.next_retry_at) into o_next_retry_at
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_unsettled) and s.state = 'waiting_for_retry';
  end if;

  v_released := tasker.release_children(v_completed);
  v_ready := v_released.o_ready;
  if v_released.o_grows or v_batches <> '{}' then
    v_batches := array(select distinct u
                       from unnest(v_batches || tasker.count_batch_workers(p_completed)) u);
    v_grows := true;
    v_growth := tasker.grow_tasks(
      v_completed, v_ready || v_batches, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    o_claimed := v_growth.o_claimed;
    p_claim_limit := p_claim_limit - cardinality(o_claimed);
    v_ready := v_growth.o_ready;
    v_due := v_growth.o_due;
    v_deltas := v_deltas || v_growth.o_deltas;
    o_queued := v_growth.o_queued;
    o_next_retry_at := least(o_next_retry_at, v_growth.o_next_due_at);
  end if;
  if v_due <> '{}' then
    v_handoffs := tasker.enqueue_steps(
      v_due, 'waiting_for_retry', p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    v_deltas := v_deltas || array(
      select (h.task_uuid, 0, 0, 0, -1)::tasker.task_delta from unnest(v_handoffs) h);
    p_claim_limit := p_claim_limit
      - (select count(*)::int from unnest(v_handoffs) h where h.is_claimed);
  end if;
  if v_grows and v_ready <> '{}' then
    -- Workers of batches go the way of admitted steps at once; those under a policy ask for their
    -- slots first.
    select array_agg(u.step_uuid order by u.n)
             filter (where s.batch_step_uuid is not null and not s.is_limited),
           array_agg(
             u.step_uuid order by u.n) filter (where s.batch_step_uuid is null or s.is_limited)
      into v_workers, v_ready
    from unnest(v_ready) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid;
    v_handoffs := v_handoffs || tasker.enqueue_steps(
      v_workers, 'pending', p_server_uuid, p_claim_limit, p_lease_seconds, p_now, true);
    p_claim_limit := p_claim_limit
      - (select count(*)::int
         from unnest(v_handoffs) h
         where h.is_claimed and h.step_uuid = any (v_workers));
  end if;
  v_handoffs := v_handoffs || tasker.enqueue_steps(
    v_ready, 'pending', p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  select o_claimed || array_agg(h.step_uuid) filter (where h.is_claimed),
         o_queued || coalesce(array_agg(distinct h.namespace::text) filter (where not h.is_claimed),
                              '{}'),
         v_deltas || array_agg((h.task_uuid, 1, 0, 0, 0)::tasker.task_delta)
    into o_claimed, o_queued, v_deltas
  from unnest(v_handoffs) h;

  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state,
                                               'correlation_id', (select t.correlation_id
                                                                  from tasker.tasks t
                                                                  where t.task_uuid
                                                                      = c.task_uuid))),
                  '[]') into o_ended
  from tasker.roll_up_task_states(v_deltas, p_server_uuid, p_now) c;
end
$$;
comment on function tasker.advance_tasks(
  uuid[], uuid[], tasker.task_delta[], uuid, int, int, timestamptz) is
  'The orchestrator''s part after a result submission: settles, counts down the children, hands '
  'off those that became ready and rolls up the task states.';
