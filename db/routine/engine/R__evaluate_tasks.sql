-- Evaluates whole tasks and does the work that is due: settles submitted steps, hands off ready
-- ones (pending with all parents done, or waiting for a retry that is due), arms and ends waits,
-- starts a pending task that is not delayed, rolls up its state, and sets the next wake-up.
-- Idempotent: a second call finds nothing to do. It repairs lost messages and the work of a crashed
-- orchestrator, and it processes the results of worker-only servers.
-- Returns as complete_steps, without refusals. Locks: tasks by uuid, then their steps.
create or replace function tasker.evaluate_tasks(
  p_task_uuids    uuid[],
  p_server_uuid   uuid,
  p_claim_limit   int         default 0,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_advance  record;
  v_pending  uuid[];
  v_due      uuid[];
  v_handoffs tasker.step_handoff[];
  v_ended    jsonb;
  v_claimed  uuid[];
  v_grows    boolean;
  v_growth   record;
  v_grown    tasker.task_delta[] := '{}';
  v_queued   text[];
  v_signals  text[];
begin
  perform tasker.lock_tasks(p_task_uuids);
  update tasker.tasks t set is_delayed = false
  where t.task_uuid = any (p_task_uuids) and t.is_delayed and t.start_at <= v_now;

  v_advance := tasker.advance_tasks(
    '{}',
    (select coalesce(array_agg(s.workflow_step_uuid), '{}')
     from unnest(p_task_uuids) as t(task_uuid)
     cross join lateral tasker.get_open_steps(t.task_uuid) s
     where tasker.step_awaits_settlement(s.state)),
    '{}', p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  perform tasker.recount_batches(p_task_uuids);

  select array_agg(distinct g.name) into v_signals
  from tasker.task_signals g where g.task_uuid = any (p_task_uuids) and g.wait_uuid is null;
  select v_signals || array_agg(distinct q.name) into v_signals
  from tasker.queued_signals q where q.task_uuid = any (p_task_uuids) and q.refused_at is null;
  -- Steps that are ready although none of their parents has just finished. Workers of batches
  -- follow from their batch steps.
  select array_agg(s.workflow_step_uuid order by t.claim_order, s.task_uuid,
                   s.step_position) filter (where s.state = 'pending'),
         array_agg(s.workflow_step_uuid order by tasker.calculate_claim_rank(
                     t.claim_order, s.attempts + 1),
                   s.task_uuid, s.step_position) filter (where s.state = 'waiting_for_retry'),
         bool_or(s.is_automatic and s.state = 'pending') into v_pending, v_due, v_grows
  from tasker.tasks t
  cross join lateral tasker.get_open_steps(t.task_uuid) s
  where t.task_uuid = any (p_task_uuids)
    and t.completed_at is null
    and t.cancel_requested_at is null
    and t.context_checked
    and not t.is_delayed
    and (t.failed_steps = 0 or t.continue_on_error)
    and t.named_task_uuid <> all (array(select p.named_task_uuid from tasker.template_pauses p))
    and s.remaining_parents = 0
    -- Of a batch that has failed, those that have begun go on.
    and (s.batch_step_uuid is null
         or (s.state = 'waiting_for_retry'
             and exists (select from tasker.workflow_steps b
                         where b.workflow_step_uuid = s.batch_step_uuid and b.state = 'error'
                         offset 0)))
    and (s.state = 'pending' or (s.state = 'waiting_for_retry' and s.next_retry_at <= v_now))
    -- Left out are waits that nothing can end yet: a task may have thousands of them. The offset
    -- keeps the planner from reading the open waits of all tasks.
    and not (s.is_automatic
             and s.state = 'pending'
             and exists (select from tasker.step_waits w
                         where w.task_uuid = s.task_uuid
                           and w.workflow_step_uuid = s.workflow_step_uuid
                           and w.state = 'open'
                           and case w.kind
                             when 'timer' then w.due_at > v_now
                             when 'signal' then coalesce(w.due_at > v_now, true)
                               and w.signal_name <> all (coalesce(v_signals, '{}'))
                             else false end
                         offset 0));

  v_claimed := v_advance.o_claimed;
  if v_grows then
    v_growth := tasker.grow_tasks(
      '{}', v_pending, p_server_uuid, greatest(p_claim_limit - cardinality(v_claimed), 0),
      p_lease_seconds, v_now);
    v_pending := v_growth.o_ready;
    v_grown := v_growth.o_deltas;
    v_queued := v_growth.o_queued;
    v_claimed := v_claimed || v_growth.o_claimed;
    -- A decision that failed decides whether other steps of its task may start.
    select array_agg(u.step_uuid order by u.n) into v_due
    from unnest(v_due) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    where t.failed_steps = 0 or t.continue_on_error;
    v_due := v_due || v_growth.o_due;
  end if;

  v_handoffs := tasker.enqueue_steps(
    v_due, 'waiting_for_retry', p_server_uuid, greatest(p_claim_limit - cardinality(v_claimed), 0),
    p_lease_seconds, p_now);
  v_handoffs := v_handoffs || tasker.enqueue_steps(
    v_pending, 'pending', p_server_uuid,
    greatest(p_claim_limit - cardinality(v_claimed)
               - (select count(*)::int from unnest(v_handoffs) h where h.is_claimed),
             0),
    p_lease_seconds, p_now);

  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state,
                                               'correlation_id', (select t.correlation_id
                                                                  from tasker.tasks t
                                                                  where t.task_uuid
                                                                      = c.task_uuid))),
                  '[]') into v_ended
  from tasker.roll_up_task_states(
    (select array_agg((t.task_uuid, 0, 0, 0, 0)::tasker.task_delta)
     from tasker.tasks t
     where t.task_uuid = any (p_task_uuids) and t.context_checked and not t.is_delayed)
      || (select array_agg((h.task_uuid, 1, 0, 0,
                            case when h.step_uuid = any (v_due) then -1
                                 else 0 end)::tasker.task_delta)
          from unnest(v_handoffs) h) || v_grown,
    p_server_uuid, p_now) c;

  perform tasker.set_next_wakeups(p_task_uuids, v_now);
  v_claimed := v_claimed || array(select h.step_uuid from unnest(v_handoffs) h where h.is_claimed);
  return jsonb_build_object(
    'claimed_steps', case when cardinality(v_claimed) > 0 then tasker.get_claimed_steps(v_claimed)
                          else '[]' end,
    'queued', (select coalesce(jsonb_agg(distinct q), '[]')
               from (select unnest(v_advance.o_queued || v_queued) as q
                     union all
                     select h.namespace from unnest(v_handoffs) h where not h.is_claimed) q),
    'ended', v_advance.o_ended || v_ended);
end
$$;
comment on function tasker.evaluate_tasks(uuid[], uuid, int, int, timestamptz) is
  'Evaluates whole tasks and does the work that is due.';
