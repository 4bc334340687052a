-- Why tasks are blocked or waiting, the sentence of diagnose_task for each: an object of the sentences by task_uuid. Tasks that have none,
-- because they have ended or do not exist, are left out.
-- Locks: none. Source: ADR 0058.
create or replace function tasker.explain_tasks(p_task_uuids uuid[])
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return (select coalesce(jsonb_object_agg(d.task_uuid, d.sentence) filter (where d.sentence is not null), '{}')
          from (select u.task_uuid, tasker.diagnose_task(u.task_uuid) as sentence from unnest(p_task_uuids) u(task_uuid)) d);
end
$$;
comment on function tasker.explain_tasks(uuid[]) is 'Why tasks are blocked or waiting: an object of the sentences of diagnose_task by task_uuid.';
