-- Requests the slots that ready steps need and returns the steps that may be handed off now. A step
-- takes its slots one after another in a fixed order (the template's that count tasks, then the
-- others, by policy), so that two holders never wait for each other. A step that gets none waits in
-- line, in the order of the claim (promote_waiters), and requests nothing again: the release of a
-- slot promotes it.
-- A full fail_fast policy ends the step (error) or, where it counts tasks, the task that has not
-- started yet (cancelled). A retry always waits: fail_fast applies to the first handoff. So does a
-- compensation: what a task has done is taken back also while much is under way.
-- Locks: the caller holds the tasks; gates as promote_waiters. Returns the admitted steps, in the
-- order given; the caller hands off each in the same transaction. Source: ADR 0013.
create or replace function tasker.admit_steps(
  p_step_uuids uuid[], p_server_uuid uuid default null, p_now timestamptz default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_holders  uuid[];
  v_gate     record;
  v_busy     uuid[] := '{}';
  v_gained   boolean := true;
  v_admitted uuid[];
  v_refused  record;
  v_caller   text;
begin
  -- They are ready: the handoff sets this as well, but the steps that wait must be found by it.
  update tasker.workflow_steps s set remaining_parents = 0
  where s.workflow_step_uuid = any (p_step_uuids)
    and s.is_limited
    and s.state = 'pending'
    and s.remaining_parents > 0;

  while v_gained loop
    v_gained := false;
    for v_gate in
      with wanted as (
        select distinct on (s.workflow_step_uuid) g.n, s.task_uuid, p.policy_uuid,
               case p.counts when 'tasks' then s.task_uuid
                    else s.workflow_step_uuid end as holder_uuid,
               tasker.calculate_slot_key(c.context, p.key_pointer) as key,
               h.holder_uuid is not null as is_waiting,
               -- Of the attempt for which it asks.
               case p.counts
                 when 'tasks' then t.claim_order
                 else tasker.calculate_claim_rank(t.claim_order, s.attempts + 1) end as claim_rank
        from unnest(p_step_uuids) with ordinality as g(step_uuid, n)
        join tasker.workflow_steps s on s.workflow_step_uuid = g.step_uuid
        join tasker.tasks t on t.task_uuid = s.task_uuid
        join tasker.task_contexts c on c.task_uuid = s.task_uuid
        join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
        join tasker.named_tasks_policies u on u.named_task_uuid = t.named_task_uuid
          and u.step_position in (0, d.step_position)
        join tasker.concurrency_policies p on p.policy_uuid = u.policy_uuid
        left join tasker.concurrency_slots h on h.policy_uuid = p.policy_uuid
          and h.holder_uuid
            = case p.counts when 'tasks' then s.task_uuid else s.workflow_step_uuid end
        where s.is_limited
          and tasker.step_awaits_handoff(s.state)
          and h.admitted_at is null
          and t.completed_at is null
        order by s.workflow_step_uuid, p.counts, p.policy_uuid),
      asked as (
        insert into tasker.concurrency_slots (holder_uuid, policy_uuid, task_uuid, key, claim_rank)
        select w.holder_uuid, w.policy_uuid, w.task_uuid, w.key, min(w.claim_rank)
        from wanted w
        where not w.is_waiting
        group by w.holder_uuid, w.policy_uuid, w.task_uuid, w.key
        order by min(w.n))
      select w.policy_uuid, w.key, array_agg(distinct w.holder_uuid) as holders
      from wanted w
      group by w.policy_uuid, w.key
      order by w.policy_uuid, w.key
    loop
      if tasker.promote_waiters(v_gate.policy_uuid, v_gate.key, v_gate.holders) is null then
        v_busy := v_busy || v_gate.holders;
      elsif exists (select from tasker.concurrency_slots s
                    where s.policy_uuid = v_gate.policy_uuid
                      and s.holder_uuid = any (v_gate.holders)
                      and s.admitted_at is not null) then
        v_gained := true;
      end if;
    end loop;
  end loop;

  -- Decisions under the gate are final: a later release promotes those that still wait. With the
  -- gate busy they have to request again.
  update tasker.concurrency_slots s set is_due = s.holder_uuid = any (v_busy)
  from tasker.workflow_steps w
  where w.workflow_step_uuid = any (p_step_uuids)
    and s.holder_uuid in (w.workflow_step_uuid, w.task_uuid)
    and s.admitted_at is null
    and s.is_due <> (s.holder_uuid = any (v_busy));
  if v_busy <> '{}' then
    perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
  end if;

  for v_refused in
    select p.counts, coalesce(p.set_limit, p.template_limit) as slot_limit,
           array_agg(w.workflow_step_uuid) as steps, s.task_uuid, s.key, p.key_pointer
    from unnest(p_step_uuids) as g(step_uuid)
    join tasker.workflow_steps w on w.workflow_step_uuid = g.step_uuid
      and w.is_limited
      and w.state = 'pending'
      and w.handoffs = 0
      and w.compensates_step_uuid is null
    join tasker.concurrency_slots s on s.holder_uuid in (w.workflow_step_uuid, w.task_uuid)
    join tasker.concurrency_policies p on p.policy_uuid = s.policy_uuid
      and p.when_full = 'fail_fast'
    where s.admitted_at is null
      and not s.holder_uuid = any (v_busy)
      and (p.counts = 'steps'
           or not exists (select from tasker.workflow_steps o
                          where o.task_uuid = s.task_uuid and o.handoffs > 0))
    group by p.policy_uuid, p.counts, s.task_uuid, s.key
  loop
    if v_refused.counts = 'tasks' then
      -- The policy refuses the step, not the caller that is authenticated in this transaction.
      v_caller := tasker.get_caller();
      perform tasker.set_caller(null);
      perform tasker.request_cancel(
        v_refused.task_uuid, 'concurrency policy',
        format('%s of %s tasks%s are under way', v_refused.slot_limit, v_refused.slot_limit,
               coalesce(' with the same ' || v_refused.key_pointer, '')),
        'cancel_running', p_server_uuid, p_now);
      perform tasker.set_caller(v_caller);
    else
      perform tasker.refuse_steps(
        v_refused.steps,
        array_fill(format('%s of %s steps%s are under way', v_refused.slot_limit,
                          v_refused.slot_limit,
                          coalesce(' with the same ' || v_refused.key_pointer, '')),
                   array[cardinality(v_refused.steps)]),
        p_server_uuid, coalesce(p_now, clock_timestamp()));
    end if;
  end loop;

  -- One statement and one snapshot: a slot that another transaction gives to one of these meanwhile
  -- stays due, so that a later pass handles it.
  with admitted as (
    select g.step_uuid, g.n
    from unnest(p_step_uuids) with ordinality as g(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = g.step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
    where s.is_limited
      and tasker.step_awaits_handoff(s.state)
      and t.cancel_requested_at is null
      and (t.failed_steps = 0 or t.continue_on_error)
      and not exists (select from tasker.named_tasks_policies u
                      join tasker.concurrency_policies p on p.policy_uuid = u.policy_uuid
                      left join tasker.concurrency_slots h on h.policy_uuid = p.policy_uuid
                        and h.holder_uuid = case p.counts when 'tasks' then s.task_uuid
                                                 else s.workflow_step_uuid end
                      where u.named_task_uuid = t.named_task_uuid
                        and u.step_position in (0, d.step_position)
                        and h.admitted_at is null)),
  -- Admitted and no longer due: the handoff follows, or the step waits for the next slot in the
  -- order.
  handled as (
    update tasker.concurrency_slots s
    set is_due = false,
        handoff = case when a.step_uuid is not null then
                         case s.holder_uuid when w.task_uuid then 0 else w.handoffs + 1 end
                       else s.handoff end
    from tasker.workflow_steps w
    left join admitted a on a.step_uuid = w.workflow_step_uuid
    where w.workflow_step_uuid = any (p_step_uuids)
      and s.holder_uuid in (w.workflow_step_uuid, w.task_uuid)
      and s.admitted_at is not null
      and (s.is_due or a.step_uuid is not null))
  select coalesce(array_agg(a.step_uuid order by a.n), '{}') into v_admitted from admitted a;
  return v_admitted;
end
$$;
comment on function tasker.admit_steps(uuid[], uuid, timestamptz) is
  'Requests the slots that ready steps need and returns the steps that may be handed off now.';
