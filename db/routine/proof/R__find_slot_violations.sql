-- Slots of concurrency policies that do not match their holders: one row per finding.
-- Locks: none. Source: ADR 0013, docs/reference/invariants.md.
create or replace function tasker.find_slot_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with slots as (
    select s.*, t.state as task_state, w.state as step_state, w.handoffs, t.completed_at,
           count(*) filter (where s.admitted_at is not
                            null) over (
             partition by s.policy_uuid, s.key order by s.admitted_at) as held_then,
           max(s.claim_rank) filter (
             where s.admitted_at is not null) over (
             partition by s.policy_uuid, s.key) as last_admitted_rank,
           t.sla_breached_at
    from tasker.concurrency_slots s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    left join tasker.workflow_steps w on w.workflow_step_uuid = s.holder_uuid)
  select 'slot_is_held_by_what_is_under_way',
         jsonb_build_object('holder_uuid', s.holder_uuid, 'policy_uuid', s.policy_uuid,
                            'handoff', s.handoff, 'step_state', s.step_state,
                            'task_state', s.task_state)
  from slots s
  where s.admitted_at is not null
    and (s.completed_at is not null
         or s.task_state = 'blocked_by_failures'
         or (s.handoff > 0
             and (s.step_state not in ('enqueued', 'in_progress') or s.handoffs <> s.handoff))
         -- Admitted and not handed off yet: it waits for its next slot, or is about to be handed
         -- off.
         or (s.handoff is null and s.step_state not in ('pending', 'waiting_for_retry')))
  union all
  select 'slots_are_within_the_limit_of_their_admission',
         jsonb_build_object('policy_uuid', s.policy_uuid, 'key', s.key,
                            'holder_uuid', s.holder_uuid, 'held', s.held_then,
                            'limit', s.admitted_limit)
  from slots s
  where s.admitted_at is not null and s.held_then > s.admitted_limit
  union all
  -- Every running holder under a policy has its slots: none bypassed the gate.
  select 'limited_step_in_flight_holds_its_slots',
         jsonb_build_object('step_uuid', w.workflow_step_uuid, 'handoff', w.handoffs,
                            'policy_uuid', u.policy_uuid)
  from tasker.tasks t
  join tasker.workflow_steps w on w.task_uuid = t.task_uuid
    and w.state in ('enqueued', 'in_progress')
    and w.is_limited
  join tasker.named_tasks_named_steps d on d.named_step_uuid = w.named_step_uuid
  join tasker.named_tasks_policies u on u.named_task_uuid = t.named_task_uuid
    and u.step_position in (0, d.step_position)
  join tasker.concurrency_policies p on p.policy_uuid = u.policy_uuid
  left join tasker.concurrency_slots s on s.policy_uuid = u.policy_uuid
    and s.admitted_at is not null
    and s.holder_uuid = case p.counts when 'tasks' then t.task_uuid else w.workflow_step_uuid end
    and (s.handoff = w.handoffs or p.counts = 'tasks')
  where t.is_limited and s.holder_uuid is null and t.created_at >= coalesce(p_since, '-infinity')
  union all
  -- A free slot and a waiter for it, but no pending release that promotes the waiter: it would wait
  -- without end.
  select 'waiter_has_a_way_to_be_promoted',
         jsonb_build_object('holder_uuid', s.holder_uuid, 'policy_uuid', s.policy_uuid,
                            'key', s.key, 'position', s.waiting_position)
  from slots s
  join tasker.concurrency_policies p on p.policy_uuid = s.policy_uuid
  left join (select h.policy_uuid, h.key, count(*) as held
             from tasker.concurrency_slots h
             where h.admitted_at is not null
             group by 1, 2) h on h.policy_uuid = s.policy_uuid and h.key = s.key
  where s.admitted_at is null
    and not s.is_due
    and coalesce(h.held, 0) < coalesce(p.set_limit, p.template_limit)
    and not exists (select from tasker.concurrency_releases r
                    where r.policy_uuid = s.policy_uuid and r.key = s.key)
  union all
  -- Waiters have the order of the claim, and then of their requests. Two requests within seconds of
  -- each other may not see each other yet.
  select 'slots_go_to_the_first_in_line',
         jsonb_build_object('waiter_uuid', s.holder_uuid, 'requested_at', s.requested_at,
                            'policy_uuid', s.policy_uuid, 'key', s.key)
  from slots s
  where s.admitted_at is null
    and s.last_admitted_rank >= s.claim_rank
    and exists (select from tasker.concurrency_slots h
                where h.policy_uuid = s.policy_uuid
                  and h.key = s.key
                  and h.admitted_at > s.requested_at + interval '10 seconds'
                  -- A breach of its SLA counts from then on.
                  and (h.claim_rank, h.waiting_position)
                    > (s.claim_rank + case
                         when s.sla_breached_at > h.admitted_at - interval '10 seconds' then 6000000
                         else 0 end,
                       s.waiting_position))
$$;
comment on function tasker.find_slot_violations(timestamptz) is
  'Slots of concurrency policies that do not match their holders: one row per finding.';
