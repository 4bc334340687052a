-- Deletes the messages of offers that have just ended without a claim: no worker needs them, and
-- where no worker has their handler, none reads them. Found by handler and claim order, which are
-- indexed; a message that another session is taking is left to it. Returns how many were deleted.
-- Locks: the message rows (skip locked); the caller holds the steps.
create or replace function tasker.withdraw_messages(p_step_uuids uuid[])
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_queue   record;
  v_deleted int;
  v_all     int := 0;
begin
  for v_queue in
    -- An offer that a cancel has revoked does not count as an attempt any more; the message may
    -- have been sent before its task breached its SLA.
    select ns.name as namespace, array_agg(distinct n.handler_key) as handlers,
           array_agg(distinct s.workflow_step_uuid) as steps,
           array_agg(distinct tasker.calculate_claim_rank(
                       t.claim_order + late.points, s.attempts + revoked.attempts)) as claim_ranks
    from tasker.workflow_steps s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    cross join (values (0), (1)) as revoked(attempts)
    join (values (0), (6000000)) as late(points) on late.points = 0 or t.sla_breached_at is not null
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where s.workflow_step_uuid = any (p_step_uuids)
    group by ns.name
  loop
    execute format(
        $q$
      with found as (
        select q.msg_id
        from pgmq.%1$I q
        where (q.headers ->> 'handler') collate "C" = any ($1)
          and (q.headers ->> 'claim_order')::bigint = any ($2)
          and (q.message ->> 'step_uuid')::uuid = any ($3)
        for update skip locked)
      delete from pgmq.%1$I q where q.msg_id = any (array(select f.msg_id from found f)) $q$,
        'q_' || lower(tasker.worker_queue(v_queue.namespace))) using v_queue.handlers,
      v_queue.claim_ranks, v_queue.steps;
    get diagnostics v_deleted = row_count;
    v_all := v_all + v_deleted;
  end loop;
  return v_all;
end
$$;
comment on function tasker.withdraw_messages(uuid[]) is
  'Deletes the messages of offers that have just ended without a claim.';
