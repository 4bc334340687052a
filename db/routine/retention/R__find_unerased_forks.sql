-- Up to 100 forks of some tasks that still have copies of their documents, as a JSON array of
-- uuids.
-- Locks: none.
create or replace function tasker.find_unerased_forks(p_task_uuids uuid[])
returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(u.task_uuid order by u.task_uuid), '[]')
  from (select f.task_uuid
        from tasker.task_forks f
        join tasker.tasks t on t.task_uuid = f.task_uuid and t.erased_at is null
        where f.source_task_uuid = any (p_task_uuids) and f.task_uuid <> all (p_task_uuids)
        order by f.task_uuid limit 100) u
$$;
comment on function tasker.find_unerased_forks(uuid[]) is
  'Up to 100 forks of some tasks that still have copies of their documents.';
