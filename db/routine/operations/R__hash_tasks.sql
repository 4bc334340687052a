-- SHA-256 over the current state of a set of tasks: the uuids in their order, each with the length
-- of its history. Any move of one of them changes the value.
create or replace function tasker.hash_tasks(p_task_uuids uuid[])
returns bytea
language sql stable
set search_path = ''
as $$
  select sha256(convert_to(coalesce(string_agg(t.task_uuid || ':' || t.transition_count,
                                               ' ' order by t.task_uuid),
                                    ''),
                           'UTF8'))
  from tasker.tasks t
  where t.task_uuid = any (p_task_uuids)
$$;
comment on function tasker.hash_tasks(uuid[]) is
  'SHA-256 over the current state of a set of tasks: any move of one of them changes the value.';
