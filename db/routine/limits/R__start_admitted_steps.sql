-- Continues tasks and steps that got a released slot, and those that found a gate busy: hands off
-- the steps, and returns the tasks to evaluate, which got a slot of the whole task. First in line,
-- first served. Also processes the notes of releases that found a gate busy.
-- A slot whose holder no longer needs it (cancelled, blocked, finished or paused meanwhile) goes to
-- the next waiter.
-- Locks: releases, skip locked; tasks, skip locked; then as enqueue_steps and roll_up_task_states.
-- Everything null when there is nothing to do, which costs two lookups. o_continued: how many tasks
-- continued. Source: ADR 0013.
create or replace function tasker.start_admitted_steps(
  p_server_uuid uuid, p_limit int, p_claim_limit int, p_lease_seconds int,
  p_now timestamptz default null,
  out o_tasks uuid[], out o_claimed uuid[], out o_queued text[], out o_ended jsonb,
  out o_continued int)
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_note     record;
  v_locked   uuid[];
  v_pending  uuid[];
  v_due      uuid[];
  v_useless  uuid[];
  v_handoffs tasker.step_handoff[];
begin
  if not exists (select from tasker.concurrency_releases)
     and not exists (select from tasker.concurrency_slots s where s.is_due) then
    return;
  end if;
  for v_note in
    select r.policy_uuid, r.key, array_agg(r.release_id) as ids
    from (select n.*
          from tasker.concurrency_releases n
          order by n.release_id limit p_limit for update skip locked) r
    group by r.policy_uuid, r.key
    order by 1, 2
  loop
    if tasker.promote_waiters(v_note.policy_uuid, v_note.key) is not null then
      delete from tasker.concurrency_releases r where r.release_id = any (v_note.ids);
    end if;
  end loop;

  select array_agg(distinct t.task_uuid) into v_locked
  from (select t.task_uuid
        from tasker.tasks t
        where t.task_uuid in (select s.task_uuid
                              from tasker.concurrency_slots s
                              where s.is_due
                              order by s.claim_rank, s.waiting_position limit p_limit)
        for no key update skip locked) t;
  if v_locked is null then
    return;
  end if;

  with due as (
    select s.holder_uuid, s.task_uuid, s.claim_rank, s.waiting_position, w.state,
           t.completed_at is null
             and t.cancel_requested_at is null
             and t.context_checked
             and (t.failed_steps = 0 or t.continue_on_error)
             and t.named_task_uuid
               <> all (array(select p.named_task_uuid from tasker.template_pauses p))
             and (w.workflow_step_uuid is null
                  or (w.remaining_parents = 0
                      and (w.state = 'pending'
                           or (w.state = 'waiting_for_retry'
                               and w.next_retry_at <= v_now)))) as may_start
    from tasker.concurrency_slots s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    left join tasker.workflow_steps w on w.workflow_step_uuid = s.holder_uuid
    where s.is_due and s.task_uuid = any (v_locked))
  select array_agg(distinct d.task_uuid) filter (where d.may_start and d.state is null),
         array_agg(d.holder_uuid order by d.claim_rank,
                   d.waiting_position) filter (where d.may_start and d.state = 'pending'),
         array_agg(d.holder_uuid order by d.claim_rank,
                   d.waiting_position) filter (where d.may_start and d.state = 'waiting_for_retry'),
         array_agg(d.holder_uuid) filter (where not d.may_start)
    into o_tasks, v_pending, v_due, v_useless
  from due d;
  perform tasker.release_slots(v_useless);

  v_handoffs := tasker.enqueue_steps(
    v_due, 'waiting_for_retry', p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  v_handoffs := v_handoffs || tasker.enqueue_steps(
    v_pending, 'pending', p_server_uuid,
    greatest(p_claim_limit - (select count(*)::int from unnest(v_handoffs) h where h.is_claimed),
             0),
    p_lease_seconds, p_now);
  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state,
                                               'correlation_id', (select t.correlation_id
                                                                  from tasker.tasks t
                                                                  where t.task_uuid
                                                                      = c.task_uuid))),
                  '[]') into o_ended
  from tasker.roll_up_task_states(
    (select array_agg((l, 0, 0, 0, 0)::tasker.task_delta)
     from unnest(v_locked) l
     join tasker.tasks t on t.task_uuid = l and t.state <> 'pending')
      || (select array_agg((h.task_uuid, 1, 0, 0,
                            case when h.step_uuid = any (v_due) then -1
                                 else 0 end)::tasker.task_delta)
          from unnest(v_handoffs) h),
    p_server_uuid, p_now) c;
  select coalesce(array_agg(h.step_uuid) filter (where h.is_claimed), '{}'),
         coalesce(array_agg(distinct h.namespace) filter (where not h.is_claimed), '{}')
    into o_claimed, o_queued
  from unnest(v_handoffs) h;
  o_continued := cardinality(v_handoffs) + coalesce(cardinality(v_useless), 0);
end
$$;
comment on function tasker.start_admitted_steps(uuid, int, int, int, timestamptz) is
  'Continues tasks and steps that got a released slot, and those that found a gate busy.';
