-- Tasks with the summary of their steps, as lists show them; one row for each that exists. Inlined
-- into the query that calls it.
-- Locks: none.
create or replace function tasker.get_task_headers(p_task_uuids uuid[])
returns table (task_uuid uuid, name text, namespace text, version text, state text,
               created_at timestamptz, requested_at timestamptz, completed_at timestamptz,
               updated_at timestamptz, initiator text, source_system text, reason text,
               priority int, tags jsonb, correlation_id uuid, parent_correlation_id uuid,
               parent_task_uuid uuid, compensates_task_uuid uuid, replaces_task_uuid uuid,
               replaced_by_task_uuid uuid, total_steps bigint, pending_steps bigint,
               in_progress_steps bigint, completed_steps bigint, failed_steps bigint,
               ready_steps bigint, enqueued_steps bigint, execution_status text,
               recommended_action text, completion_percentage numeric, health_status text,
               start_at timestamptz, next_wake_at timestamptz,
               sla_breached_at timestamptz, times_out_at timestamptz, timed_out_at timestamptz,
               erased_at timestamptz, cancel_request jsonb)
language sql stable
as $$
  select t.task_uuid, nt.name, ns.name, nt.version, t.state::text, t.created_at, t.requested_at,
         t.completed_at, greatest(t.created_at, t.completed_at, h.last_at), t.initiator,
         t.source_system, t.reason, t.priority, t.tags, t.correlation_id, t.parent_correlation_id,
         t.parent_task_uuid, t.compensates_task_uuid, t.replaces_task_uuid, t.replaced_by_task_uuid,
         c.total_steps, c.pending_steps, c.in_progress_steps, c.completed_steps, c.failed_steps,
         c.ready_steps, c.enqueued_steps, c.execution_status, c.recommended_action,
         c.completion_percentage, c.health_status, t.start_at, w.wake_at, t.sla_breached_at,
         greatest(t.start_at, t.created_at) + nt.max_duration, t.timed_out_at, t.erased_at,
         case when t.cancel_requested_at is not null then
                jsonb_build_object('at', t.cancel_requested_at, 'by', t.cancel_requested_by,
                                   'claimed_actor', t.cancel_claimed_actor,
                                   'reason', t.cancel_reason, 'policy', t.cancel_policy) end
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
  cross join lateral (select max(tr.created_at) as last_at
                      from tasker.task_moves tr
                      where tr.task_uuid = t.task_uuid) h
  cross join lateral tasker.get_task_execution_contexts_batch(array[t.task_uuid]) c
  where t.task_uuid = any (p_task_uuids)
$$;
comment on function tasker.get_task_headers(uuid[]) is
  'Tasks with the summary of their steps, as lists show them.';
