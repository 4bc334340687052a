-- The verdicts of a bulk action by task, as {tasks: [{task_uuid, outcome, code, message,
-- acted_at}], next}. p_outcome: done, already or refused; null for all.
-- p_after: next of the page before. Reads only.
create or replace function tasker.list_bulk_action_tasks(
  p_token uuid, p_outcome text default null, p_limit int default 100, p_after uuid default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with found as (
    select v.*, row_number() over (order by v.task_uuid) as n
    from tasker.bulk_action_tasks v
    where v.token = p_token
      and (p_outcome is null or v.outcome = p_outcome)
      and (p_after is null or v.task_uuid > p_after)
    order by v.task_uuid limit p_limit + 1)
  select jsonb_build_object(
           'tasks', coalesce(jsonb_agg(jsonb_build_object('task_uuid', f.task_uuid,
                                                          'outcome', f.outcome, 'code', f.code,
                                                          'message', f.message,
                                                          'acted_at', f.acted_at) order by f.n)
                               filter (where f.n <= p_limit),
                             '[]'),
           'next', case
             when count(*) > p_limit then (select f.task_uuid from found f where f.n = p_limit) end)
  from found f
$$;
comment on function tasker.list_bulk_action_tasks(uuid, text, int, uuid) is
  'The verdicts of a bulk action by task.';
