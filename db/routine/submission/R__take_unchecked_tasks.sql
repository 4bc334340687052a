-- Tasks that came in by SQL and whose context is not yet validated against the input schema,
-- locked, a JSON array of {task_uuid, template_uuid, context}; of long contexts as many as have 4
-- MiB together, at least one. Found by an index that has no other tasks, because every server
-- polls; ended ones have no wake-up.
-- Locks: the tasks, skip locked.
create or replace function tasker.take_unchecked_tasks(p_limit int default 100)
returns jsonb
language sql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with unchecked as (
    select t.task_uuid, t.named_task_uuid
    from tasker.task_wakeups w
    join tasker.tasks t on t.task_uuid = w.task_uuid
    where w.wake_at <= clock_timestamp() and not t.context_checked and t.completed_at is null
    limit p_limit
    for no key update of t skip locked),
  -- A server reads them together: the others are left for the next call, which is soon.
  sized as (
    select u.task_uuid, u.named_task_uuid, c.context, octet_length(c.context::text) as bytes,
           sum(octet_length(c.context::text)) over (order by u.task_uuid) as bytes_so_far
    from unchecked u
    join tasker.task_contexts c on c.task_uuid = u.task_uuid)
  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', s.task_uuid,
                                               'template_uuid', s.named_task_uuid,
                                               'context', s.context)),
                  '[]')
  from sized s
  where s.bytes_so_far <= greatest(4194304, s.bytes)
$$;
comment on function tasker.take_unchecked_tasks(int) is
  'Tasks that came in by SQL and whose context is not yet validated against the input schema, '
  'locked.';
