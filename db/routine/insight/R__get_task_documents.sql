-- The full documents of tasks as the REST interface shows them, in the order of the argument, a
-- JSON array; unknown ones are left out: what get_task_summaries has, the context, the output, the
-- readiness of every step, the decisions and the batches, without their workers. A context or
-- output of more than p_most_bytes (4 MiB without it) is null, and document_bytes has the sizes of
-- both, in bytes of their JSON text; one that is null has none.
create or replace function tasker.get_task_documents(
  p_task_uuids uuid[], p_most_bytes int default null)
returns json
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
begin
  -- As json and not jsonb, which would be put together, copied and taken apart again.
  return (
    select coalesce(json_agg(d order by array_position(p_task_uuids, d.task_uuid)), '[]')
    from (
      select h.*, case when b.context <= least(p_most_bytes, 4194304) then x.context end as context,
             case when b.output <= least(p_most_bytes, 4194304) then o.output end as output,
             o.error as output_error, json_strip_nulls(to_json(b)) as document_bytes,
             t.parent_step_uuid, tasker.get_allowed_actions(t) as allowed_actions, x.submitted_by,
             nullif(split_part(x.trace_parent, '-', 2), '') as trace_id,
             -- Most tasks have none of these, and a call costs more than a look.
             case when exists (select from tasker.workflow_steps s
                               where s.task_uuid = t.task_uuid
                                 and s.step_position <= 1000000
                                 and s.is_decision) then tasker.get_decision_documents(t.task_uuid)
                  else '[]' end as decisions,
             case when exists (select from tasker.batches b where b.task_uuid = t.task_uuid) then
                    tasker.get_batch_documents(t.task_uuid)
                  else '[]' end as batches,
             case when exists (select from tasker.task_compensations k
                               where k.task_uuid = t.task_uuid) then
                    tasker.get_compensation_document(t.task_uuid) end as compensation,
             case
               when t.completed_at is null
                 or t.timed_out_at is not null
                 or t.state = 'cancelled' then tasker.diagnose_task(t.task_uuid) end as explanation,
             -- Nothing of a task that has ended is ready or tried again, and the rules about it
             -- cost several times what the rest does.
             case
               when t.completed_at is null then tasker.get_readiness_documents(t.task_uuid)
               else (
                 select coalesce(
                          json_agg(
                            json_build_object(
                              'step_uuid', s.workflow_step_uuid,
                              'template_step_uuid', s.named_step_uuid,
                              'name', coalesce(s.name, n.name), 'state', s.state,
                              'dependencies_satisfied', s.remaining_parents = 0,
                              'retry_eligible', false, 'ready_for_execution', false,
                              'last_failure_at', s.last_failure_at,
                              'next_retry_at', s.next_retry_at, 'total_parents', s.total_parents,
                              'completed_parents', s.total_parents - s.remaining_parents,
                              'attempts', s.attempts, 'max_attempts', s.max_attempts,
                              'backoff_request_seconds', s.backoff_request_seconds,
                              'last_attempted_at', s.last_attempted_at) order by s.step_position),
                          '[]')
                 from tasker.workflow_steps s
                 join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
                 where s.task_uuid = t.task_uuid and s.step_position <= 1000000) end as steps
      from tasker.get_task_headers(p_task_uuids) h
      join tasker.tasks t on t.task_uuid = h.task_uuid
      left join tasker.task_contexts x on x.task_uuid = h.task_uuid
      left join tasker.get_task_outputs(p_task_uuids) o on o.task_uuid = h.task_uuid
      cross join lateral (select octet_length(nullif(x.context, 'null')::text) as context,
                                 octet_length(nullif(o.output, 'null')::text) as output
                          offset 0) b) d);
end
$$;
comment on function tasker.get_task_documents(uuid[], int) is
  'The full documents of tasks as the REST interface shows them, in the order of the argument.';
