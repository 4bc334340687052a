-- Gives 100 points of priority, as many as the highest that a request can ask for, to the given
-- tasks that are past the SLA of their template, wait for no time or signal or are blocked, and
-- have not got them yet: to their claim order, and to the claim rank of their queued offers. An
-- offer that a worker is claiming at this moment needs no rank any more. So do the slots that their
-- steps wait for; one that is being given at this moment needs none. Where the template asks for
-- events of tasks, one tells of the breach. Returns how many tasks it escalated.
-- Locks: the tasks, held by the caller; their waiting slots and messages, skip locked: a claim
-- holds a message and may need the task.
create or replace function tasker.escalate_sla_breaches(
  p_task_uuids uuid[], p_now timestamptz default null)
returns int
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now  timestamptz := coalesce(p_now, clock_timestamp());
  v_late uuid[];
  v_each record;
begin
  with late as (
    update tasker.tasks t
    set claim_order = t.claim_order - 6000000, sla_breached_at = v_now
    from tasker.named_tasks nt
    where t.task_uuid = any (p_task_uuids)
      and t.completed_at is null
      and t.sla_breached_at is null
      and nt.named_task_uuid = t.named_task_uuid
      and greatest(t.start_at, t.created_at) + nt.sla_minutes * interval '1 minute' <= v_now
      and not t.is_delayed
      and (t.state = 'blocked_by_failures'
           or not exists (select from tasker.step_waits w
                          where w.task_uuid = t.task_uuid
                            and w.state = 'open'
                            and (w.due_at is null or w.due_at > v_now) offset 0))
    returning t.task_uuid)
  select array_agg(l.task_uuid) into v_late from late l;
  if v_late is null then
    return 0;
  end if;
  -- A slot that is released meanwhile finds the rows locked and passes them over: they are due, and
  -- ask again.
  update tasker.concurrency_slots s set claim_rank = s.claim_rank - 6000000, is_due = true
  from (select q.holder_uuid, q.policy_uuid from tasker.concurrency_slots q
        where q.task_uuid = any (v_late) and q.admitted_at is null
        for no key update skip locked) w
  where s.holder_uuid = w.holder_uuid and s.policy_uuid = w.policy_uuid;
  if found then
    perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
  end if;

  insert into tasker.domain_events (kind, task_uuid, cause_uuid, sort_key, name, data)
  select 'task', t.task_uuid, t.task_uuid, 0, 'tasker.task.sla_breached',
         jsonb_build_object('state', t.state, 'sla_minutes', nt.sla_minutes)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    and nt.published_lifecycle ? 'tasks'
  where t.task_uuid = any (v_late) and t.compensates_task_uuid is null;

  for v_each in
    select ns.name as namespace, array_agg(s.workflow_step_uuid::text) as steps,
           array_agg(distinct tasker.calculate_claim_rank(
                       t.claim_order + 6000000, s.attempts)) as claim_ranks
    from tasker.tasks t
    join lateral tasker.get_open_steps(t.task_uuid) s on s.state = 'enqueued'
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where t.task_uuid = any (v_late)
    group by ns.name
  loop
    if to_regclass('pgmq.' || quote_ident('q_' || lower(tasker.worker_queue(
                                                          v_each.namespace)))) is not null then
      -- Found by their claim ranks, which are indexed.
      execute format($q$
        with waiting as materialized (
          select q.msg_id
          from pgmq.%1$I q
          where (q.headers ->> 'claim_order')::bigint = any ($1)
            and q.message ->> 'step_uuid' = any ($2)
          for update skip locked)
        update pgmq.%1$I q
        set headers = jsonb_set(q.headers, '{claim_order}',
                                to_jsonb((q.headers ->> 'claim_order')::bigint - 6000000))
        from waiting w
        where q.msg_id = w.msg_id $q$, 'q_' || lower(tasker.worker_queue(v_each.namespace)))
        using v_each.claim_ranks, v_each.steps;
    end if;
  end loop;
  return cardinality(v_late);
end
$$;
comment on function tasker.escalate_sla_breaches(uuid[], timestamptz) is
  'Gives 100 points of priority to those of the given tasks that are past the SLA of their '
  'template.';
