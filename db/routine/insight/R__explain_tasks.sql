-- Why tasks are blocked or waiting, in one sentence each: the step of explain_waiting_steps that
-- matters most, what failed before what waits, and how many others there are. An object of the
-- sentences by task_uuid. Tasks that have none, because they have ended or do not exist, are left
-- out, except that one that has ended because of lifecycle.max_duration has that sentence, and one
-- that was cancelled says how many of its child tasks have not ended yet. The sentences name
-- neither errors nor values of contexts, so every caller that may read the tasks may read them. One
-- statement for a page of tasks: its cost is that of their unfinished steps.
-- Locks: none. Source: ADR 0016, ADR 0058.
create or replace function tasker.explain_tasks(p_task_uuids uuid[])
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
begin
  return (
    with sentences as (
      select t.task_uuid,
             format('The task exceeded lifecycle.max_duration, %s, of its template and was %s: '
                    'task_timed_out.',
                    nt.configuration #>> '{lifecycle,max_duration}',
                    case t.state when 'cancelled' then 'cancelled' else 'failed' end) as sentence
      from unnest(p_task_uuids) u(task_uuid)
      join tasker.tasks t on t.task_uuid = u.task_uuid
        and t.timed_out_at is not null
        and t.state in ('error', 'cancelled')
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      union all
      select t.task_uuid,
             format('The task is cancelled; %s that it waited for %s not ended yet.',
                    case c.tasks when 1 then '1 child task' else c.tasks || ' child tasks' end,
                    case c.tasks when 1 then 'has' else 'have' end)
      from unnest(p_task_uuids) u(task_uuid)
      join tasker.tasks t on t.task_uuid = u.task_uuid
        and t.state = 'cancelled'
        and t.timed_out_at is null
      cross join lateral (select count(*) as tasks
                          from tasker.tasks k
                          where k.parent_task_uuid = t.task_uuid
                            and k.parent_step_uuid is not null
                            and k.completed_at is null) c
      where c.tasks > 0
      union all
      select w.task_uuid,
             coalesce((select format('The task is compensated (%s), %s of %s steps are done. ',
                                     c.document ->> 'cause', c.document ->> 'completed_steps',
                                     c.document ->> 'planned_steps')
                       from (select tasker.get_compensation_document(w.task_uuid) as document) c
                       where c.document ->> 'state' = 'running'),
                      '') || format('Step %s %s', w.step_name, w.sentence) || case w.steps
               when 1 then '.'
               when 2 then '; 1 other step is not done.'
               else format('; %s other steps are not done.', w.steps - 1) end
      from tasker.explain_waiting_steps(p_task_uuids, null, true, false, false) w)
    select coalesce(jsonb_object_agg(s.task_uuid, s.sentence), '{}') from sentences s);
end
$$;
comment on function tasker.explain_tasks(uuid[]) is
  'Why tasks are blocked or waiting: an object of one sentence for each by task_uuid.';
