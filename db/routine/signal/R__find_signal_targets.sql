-- The unfinished tasks to which a signal by correlation id goes: a JSON array of {task_uuid,
-- namespace, schema}, the oldest first, one more than p_limit at most, so that the caller sees that
-- there are more. A task is left out when no step of its template waits for the signal, when it is
-- being cancelled, or when its namespace is not in p_namespaces; null: all namespaces.
-- schema: the JSON Schema of the payload, null when there is none.
-- Locks: none. Source: ADR 0038.
create or replace function tasker.find_signal_targets(
  p_correlation_id uuid, p_name text, p_namespaces text[] default null, p_limit int default 1)
returns jsonb
language sql stable
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', f.task_uuid,
                                               'namespace', f.namespace,
                                               'schema', f.schema) order by f.task_uuid),
                  '[]')
  from (select t.task_uuid, ns.name as namespace, k.schema
        from tasker.tasks t
        join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
        cross join lateral (select n.wait_for -> 'schema' as schema
                            from tasker.named_tasks_named_steps n
                            where n.named_task_uuid = t.named_task_uuid
                              and n.wait_for ->> 'kind' = 'signal'
                              and n.wait_for ->> 'name' = p_name limit 1) k
        where t.correlation_id = p_correlation_id
          and t.completed_at is null
          and t.cancel_requested_at is null
          and (p_namespaces is null or ns.name = any (p_namespaces))
        order by t.task_uuid limit p_limit + 1) f
$$;
comment on function tasker.find_signal_targets(uuid, text, text[], int) is
  'The unfinished tasks to which a signal by correlation id goes, with the schema of its payload.';
