-- Tasks as the REST interface shows them, in the order of the argument, a JSON array; unknown ones are left out.
-- p_with_details adds the context, the output, the readiness of every step, the decisions and the batches, without their workers. A context or output of more than p_most_bytes
-- is null then: see limit_documents. Source: reference section 6.2, TaskResponse.
create or replace function tasker.get_task_documents(p_task_uuids uuid[], p_with_details boolean default true, p_most_bytes int default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set join_collapse_limit = 1
as $$
begin
  -- In plpgsql, which caches its plans: PostgreSQL would plan a function in SQL at every call.
  return (select coalesce(jsonb_agg(
      jsonb_build_object(
        'task_uuid', t.task_uuid, 'name', nt.name, 'namespace', ns.name, 'version', nt.version, 'state', t.state,
        'created_at', t.created_at, 'requested_at', t.requested_at, 'completed_at', t.completed_at,
        'updated_at', greatest(t.created_at, t.completed_at, h.last_at),
        'initiator', t.initiator, 'source_system', t.source_system, 'reason', t.reason, 'priority', t.priority, 'tags', t.tags,
        'correlation_id', t.correlation_id, 'parent_correlation_id', t.parent_correlation_id, 'parent_task_uuid', t.parent_task_uuid,
        'compensates_task_uuid', t.compensates_task_uuid, 'replaces_task_uuid', t.replaces_task_uuid, 'replaced_by_task_uuid', t.replaced_by_task_uuid,
        'total_steps', c.total_steps, 'pending_steps', c.pending_steps, 'in_progress_steps', c.in_progress_steps,
        'completed_steps', c.completed_steps, 'failed_steps', c.failed_steps, 'ready_steps', c.ready_steps)
      || jsonb_build_object(
        'enqueued_steps', c.enqueued_steps, 'execution_status', c.execution_status, 'recommended_action', c.recommended_action,
        'completion_percentage', c.completion_percentage, 'health_status', c.health_status,
        'start_at', t.start_at, 'next_wake_at', w.wake_at, 'sla_breached_at', t.sla_breached_at,
        'times_out_at', greatest(t.start_at, t.created_at) + nt.max_duration, 'timed_out_at', t.timed_out_at,
        'cancel_request', case when t.cancel_requested_at is not null then jsonb_build_object(
          'at', t.cancel_requested_at, 'by', t.cancel_requested_by, 'claimed_actor', t.cancel_claimed_actor, 'reason', t.cancel_reason, 'policy', t.cancel_policy) end)
      || case when p_with_details then tasker.limit_documents(jsonb_build_object(
        'context', x.context, 'output', o.document -> 'output', 'output_error', o.document -> 'error', 'parent_step_uuid', t.parent_step_uuid, 'allowed_actions', tasker.get_allowed_actions(t), 'submitted_by', x.submitted_by, 'trace_id', nullif(split_part(x.trace_parent, '-', 2), ''),
        -- Most tasks have none of these, and a call costs more than a look.
        'decisions', case when exists (select from tasker.workflow_steps d where d.task_uuid = t.task_uuid and d.step_position <= 1000000 and d.is_decision)
                          then tasker.get_decision_documents(t.task_uuid) else '[]' end,
        'batches', case when exists (select from tasker.batches b where b.task_uuid = t.task_uuid) then tasker.get_batch_documents(t.task_uuid) else '[]' end,
        'compensation', case when exists (select from tasker.task_compensations k where k.task_uuid = t.task_uuid) then tasker.get_compensation_document(t.task_uuid) end,
        'explanation', case when t.completed_at is null or t.timed_out_at is not null then tasker.diagnose_task(t.task_uuid) end,
        'steps', (select coalesce(jsonb_agg(to_jsonb(r) - '{task_uuid,workflow_step_uuid,named_step_uuid,current_state}'::text[]
            || jsonb_build_object('step_uuid', r.workflow_step_uuid, 'template_step_uuid', r.named_step_uuid, 'state', r.current_state)), '[]')
          from tasker.get_step_readiness_status_batch(array[t.task_uuid], array(
            select w.workflow_step_uuid from tasker.workflow_steps w where w.task_uuid = t.task_uuid and w.step_position <= 1000000)) r)), '{context,output}', p_most_bytes)
         else '{}' end
      order by u.n), '[]')
  from unnest(p_task_uuids) with ordinality as u(task_uuid, n)
  join tasker.tasks t on t.task_uuid = u.task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.task_contexts x on x.task_uuid = t.task_uuid and p_with_details
  left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
  -- offset: otherwise the planner repeats the call for each use of the document.
  cross join lateral (select case when p_with_details then tasker.get_task_output(t.task_uuid) end as document offset 0) o
  cross join lateral (select max(tr.created_at) as last_at from tasker.task_transitions tr where tr.task_uuid = t.task_uuid) h
  cross join lateral tasker.get_task_execution_contexts_batch(array[t.task_uuid]) c);
end
$$;
comment on function tasker.get_task_documents(uuid[], boolean, int) is
  'Tasks as the REST interface shows them, in the order of the argument.';
