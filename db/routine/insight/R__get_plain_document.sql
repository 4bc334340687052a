-- The document of a plain task that is complete, exactly as get_task_documents has it, for a third
-- of its cost: plain are tasks of up to 100 steps that did all that their template has, without
-- decisions, batches, added steps, compensations, cancels and time-outs, with a context and an
-- output of up to 64 KiB. Most tasks are, and what the rules would find out about one is known
-- then. Null for any other task. A test compares both ways.
-- Locks: none. The planner's settings are those of complete_steps.
create or replace function tasker.get_plain_document(p_task_uuid uuid)
returns json
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select row_to_json(d)
    from (
      select t.task_uuid, nt.name, ns.name as namespace, nt.version, t.state::text as state,
             t.created_at, t.requested_at, t.completed_at,
             greatest(t.created_at, t.completed_at,
                      (select max(tr.created_at)
                       from tasker.task_moves tr
                       where tr.task_uuid = t.task_uuid)) as updated_at,
             t.initiator, t.source_system, t.reason, t.priority, t.tags, t.correlation_id,
             t.parent_correlation_id, t.parent_task_uuid, t.compensates_task_uuid,
             t.replaces_task_uuid, t.replaced_by_task_uuid, s.total as total_steps,
             0 as pending_steps, 0 as in_progress_steps, s.total as completed_steps,
             0 as failed_steps, 0 as ready_steps, 0 as enqueued_steps,
             'all_complete' as execution_status, 'none' as recommended_action,
             100.00 as completion_percentage, 'healthy' as health_status, t.start_at,
             (select w.wake_at
              from tasker.task_wakeups w
              where w.task_uuid = t.task_uuid) as next_wake_at, t.sla_breached_at,
             greatest(t.start_at, t.created_at) + nt.max_duration as times_out_at, t.timed_out_at,
             t.erased_at, null as cancel_request, x.context, o.output, o.error as output_error,
             json_strip_nulls(to_json(b)) as document_bytes,
             t.parent_step_uuid, '["fork"]'::json as allowed_actions, x.submitted_by,
             nullif(split_part(x.trace_parent, '-', 2), '') as trace_id, '[]'::json as decisions,
             '[]'::json as batches, null as compensation, null as explanation, s.steps
      from tasker.tasks t
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      join tasker.task_contexts x on x.task_uuid = t.task_uuid
      cross join lateral (
        select count(*) as total,
               bool_and(s.state = 'complete'
                        and not s.is_decision
                        and s.is_batchable is null
                        and s.batch_step_uuid is null
                        and s.name is null) as is_plain,
               json_agg(
                 json_build_object(
                   'step_uuid', s.workflow_step_uuid, 'template_step_uuid', s.named_step_uuid,
                   'name', n.name, 'state', s.state,
                   'dependencies_satisfied', s.remaining_parents = 0,
                   'retry_eligible', false, 'ready_for_execution', false,
                   'last_failure_at', s.last_failure_at, 'next_retry_at', s.next_retry_at,
                   'total_parents', s.total_parents,
                   'completed_parents', s.total_parents - s.remaining_parents,
                   'attempts', s.attempts, 'max_attempts', s.max_attempts,
                   'backoff_request_seconds', s.backoff_request_seconds,
                   'last_attempted_at', s.last_attempted_at) order by s.step_position) as steps,
               coalesce(jsonb_object_agg(n.name, r.result) filter (where r.result is not null),
                        '{}') as results
        from tasker.workflow_steps s
        join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
        left join tasker.workflow_step_result_audit r
          on r.workflow_step_uuid = s.workflow_step_uuid
            and r.sort_key = s.result_sort_key
            and r.success
            and not coalesce(t.has_output, false)
            and not exists (select from tasker.named_step_edges e
                            where e.from_named_step_uuid = s.named_step_uuid
                              and e.from_position = s.step_position)
        where s.task_uuid = t.task_uuid) s
      -- The offsets keep the planner from computing them again wherever they are named.
      cross join lateral (
        select case when t.has_output then k.output else s.results end as output, k.error
        from (select) one
        left join tasker.task_outputs k on k.task_uuid = t.task_uuid and t.has_output
        offset 0) o
      cross join lateral (select octet_length(nullif(x.context, 'null')::text) as context,
                                 octet_length(nullif(o.output, 'null')::text) as output
                          offset 0) b
      where t.task_uuid = p_task_uuid
        and t.state = 'complete'
        and t.total_steps <= 100
        and t.erased_at is null
        and t.timed_out_at is null
        and t.cancel_requested_at is null
        and s.is_plain
        and coalesce(b.context, 0) <= 65536
        and coalesce(b.output, 0) <= 65536
        and not exists (select from tasker.task_compensations c
                        where c.task_uuid = t.task_uuid)) d);
end
$$;
comment on function tasker.get_plain_document(uuid) is
  'The document of a complete task without decisions, batches and the like, as '
  'get_task_documents has it.';
