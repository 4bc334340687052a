-- Checks up to p_batch_size unfinished tasks that no other session has locked, oldest first, and
-- does what the templates of stale ones say; with p_dry_run (the default) it only reports. The
-- servers do the same to every task that they evaluate, so this is for operators.
-- Returns one row per stale task: what was or would be done, and whether it has a dead letter now.
-- Locks: the tasks (skip locked), not in a dry run.
create or replace function tasker.detect_and_transition_stale_tasks(
  p_dry_run boolean default true, p_batch_size int default 100, p_now timestamptz default null)
returns table (task_uuid uuid, namespace_name varchar, task_name varchar, current_state varchar,
               minutes_overdue numeric,
               staleness_threshold_minutes int, dlq_reason varchar, action_taken varchar,
               has_dead_letter boolean)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_tasks uuid[];
  v_stale jsonb;
begin
  select array_agg(w.task_uuid order by w.task_uuid) into v_tasks from tasker.task_wakeups w;
  select array_agg(s.task_uuid order by s.stale_at, s.task_uuid) into v_tasks
  from (select s.task_uuid, s.stale_at
        from tasker.get_task_staleness(v_tasks, p_now) s
        where s.stale_at <= v_now
          and (s.is_to_fail or s.is_to_be_investigated)
          and (s.is_to_fail
               or not exists (select from tasker.tasks_dlq d
                              where d.task_uuid = s.task_uuid and d.resolution_status = 'pending'))
        order by s.stale_at, s.task_uuid limit p_batch_size) s;
  if not p_dry_run then
    select array_agg(l.task_uuid) into v_tasks
    from (select t.task_uuid
          from tasker.tasks t
          where t.task_uuid = any (v_tasks)
          order by t.task_uuid for no key update skip locked) l;
  end if;
  select coalesce(jsonb_agg(s), '[]') into v_stale
  from tasker.get_task_staleness(v_tasks, p_now) s
  where s.stale_at <= v_now;
  if not p_dry_run then
    perform tasker.handle_stale_tasks(v_tasks, null, p_now);
  end if;
  return query
  select t.task_uuid, ns.name, nt.name, (s.value ->> 'state')::varchar,
         round(extract(epoch from v_now - (s.value ->> 'stale_at')::timestamptz) / 60, 1),
         (s.value ->> 'threshold_minutes')::int, (s.value ->> 'reason')::varchar,
         (case when p_dry_run then 'would_be_' else '' end || case
            when (s.value ->> 'is_to_fail')::boolean
              and (s.value ->> 'is_to_be_investigated')::boolean then 'moved_to_dlq_and_error'
            when (s.value ->> 'is_to_fail')::boolean then 'moved_to_error'
            else 'moved_to_dlq' end)::varchar,
         exists (select from tasker.tasks_dlq d
                 where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')
  from jsonb_array_elements(v_stale) s
  join tasker.tasks t on t.task_uuid = (s.value ->> 'task_uuid')::uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  order by (s.value ->> 'stale_at')::timestamptz, t.task_uuid;
end
$$;
comment on function tasker.detect_and_transition_stale_tasks(boolean, int, timestamptz) is
  'Handles unfinished tasks that are stale as their templates say; a dry run, the default, only '
  'reports them.';
