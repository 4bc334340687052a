-- One round of the fallback poller: continues with the holders of new slots, delivers notices
-- between tasks and queued signals, evaluates the parents of children that have ended, lets blocked
-- tasks breach their SLA, takes up to p_limit due tasks that no other session has locked, recovers
-- steps with expired leases and unclaimed offers, resends lost messages, evaluates the tasks, and
-- handles stale ones as their templates say. Repeated rounds alone suffice to finish every task.
-- p_claim_seconds,
-- p_unserved_seconds: see recover_unclaimed_offers; p_fault_limit: see record_task_fault.
-- Returns as evaluate_tasks, with the number of tasks that it processed as "tasks" and the
-- milliseconds to the next wake-up of any task.
-- Locks: as get_next_ready_tasks and evaluate_tasks.
create or replace function tasker.advance_due_tasks(
  p_server_uuid   uuid,
  p_limit         int         default 100,
  p_claim_limit   int         default 0,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null,
  p_claim_seconds int         default 300,
  p_unserved_seconds int      default 86400,
  p_fault_limit   int         default 5)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_tasks  uuid[];
  v_started record;
  v_told   jsonb;
  v_parents uuid[];
  v_claimed int;
  v_due_result jsonb;
  v_signalled int;
  v_breached int;
  v_due    uuid[];
  v_result jsonb := '{"claimed_steps": [], "queued": [], "ended": []}';
begin
  v_started := tasker.start_admitted_steps(
    p_server_uuid, p_limit, p_claim_limit, p_lease_seconds, p_now);
  v_claimed := coalesce(cardinality(v_started.o_claimed), 0);
  v_told := tasker.deliver_notices(p_server_uuid, p_limit, p_now);
  if v_told -> 'parents' <> '[]' then
    -- They are told, not due: nothing of them has to be recovered.
    v_parents := array(select jsonb_array_elements_text(v_told -> 'parents')::uuid);
    v_result := tasker.process_tasks(
      v_parents, p_server_uuid, greatest(p_claim_limit - v_claimed, 0), p_lease_seconds, null, null,
      p_fault_limit, p_now) - 'faulty';
    v_claimed := v_claimed + jsonb_array_length(v_result -> 'claimed_steps');
  end if;
  v_signalled := tasker.deliver_signals(p_limit, p_now);
  v_breached := tasker.breach_blocked_slas(p_limit, p_now);
  select array_agg(t.task_uuid order by t.task_uuid) into v_due
  from tasker.get_next_ready_tasks(p_limit, p_now) t;
  v_tasks := v_due;
  if v_started.o_tasks is not null then
    select array_agg(distinct u order by u) into v_tasks from unnest(v_due || v_started.o_tasks) u;
  end if;
  if v_tasks is not null then
    v_due_result := tasker.process_tasks(
      v_tasks, p_server_uuid, greatest(p_claim_limit - v_claimed, 0), p_lease_seconds,
      p_claim_seconds, p_unserved_seconds, p_fault_limit, p_now) - 'faulty';
    v_result := case when v_parents is null then v_due_result
                     else tasker.merge_replies(v_result, v_due_result) end;
  end if;
  v_result := tasker.merge_replies(v_result, jsonb_build_object('ended', v_told -> 'ended'));
  if v_started.o_continued is not null then
    v_result := tasker.merge_replies(
      v_result,
      jsonb_build_object('claimed_steps', case when cardinality(v_started.o_claimed) > 0 then
                                                 tasker.get_claimed_steps(v_started.o_claimed)
                                               else '[]' end,
                         'queued', coalesce(v_started.o_queued, '{}'), 'ended', v_started.o_ended));
    -- A slot that its task did not use goes to the next waiter; a holder that found the gate busy
    -- is processed again.
    perform tasker.release_slots(
      (select array_agg(s.holder_uuid)
       from tasker.concurrency_slots s
       where s.holder_uuid = any (v_started.o_tasks) and s.is_due and s.admitted_at is not null));
  end if;
  return v_result || jsonb_build_object(
    'tasks', coalesce(cardinality(v_due), 0) + (v_told ->> 'notices')::int + v_signalled
      + v_breached + coalesce(v_started.o_continued, 0)
      + (select count(*)
         from unnest(v_started.o_tasks) u
         where not exists (select from tasker.concurrency_slots s
                           where s.holder_uuid = u and s.is_due)),
    'next_wake_in_ms', case
      when exists (select from tasker.concurrency_slots s where s.is_due)
        or exists (select from tasker.concurrency_releases)
        or exists (select from tasker.task_notices)
        or exists (select from tasker.queued_signals q where q.refused_at is null) then 0
      else (select ceil(extract(epoch from least(w.at, nullif(d.at, 'infinity'))
                                - coalesce(p_now, clock_timestamp())) * 1000)
            from (select min(a.wake_at) as at from tasker.task_wakeups a) w
            cross join (select min(b.sla_due_at) as at
                        from tasker.tasks_dlq b
                        where b.sla_due_at is not null) d) end);
end
$$;
comment on function tasker.advance_due_tasks(uuid, int, int, int, timestamptz, int, int, int) is
  'One round of the fallback poller: takes due tasks, recovers their expired leases, unclaimed '
  'offers and lost messages, and evaluates them.';
