-- A bulk action as the REST interface shows it: {token, action_type, state, background, filter,
-- namespace, requested_by, reason, count, results, rest, created_at, expires_at, started_at,
-- finished_at, cancelled_by}; null when there is none. state: counted, running, done, cancelled or
-- stopped, when the caller that made it lost its permissions.
-- rest: the tasks without a verdict. Reads only.
create or replace function tasker.get_bulk_action_document(p_token uuid)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'token', b.token, 'action_type', b.action,
           'state', case when b.executed_at is not null then b.result ->> 'outcome'
                         when b.started_at is not null then 'running'
                         else 'counted' end,
           'background', b.is_background, 'filter', b.filter, 'namespace', b.filter ->> 'namespace',
           'requested_by', b.acted_by, 'reason', b.reason, 'count', b.task_count,
           'results', jsonb_build_object(
             'done', b.done_tasks, 'already', b.already_tasks, 'refused', b.refused_tasks),
           'rest', b.task_count - b.done_tasks - b.already_tasks - b.refused_tasks,
           'created_at', b.created_at, 'expires_at', b.expires_at, 'started_at', b.started_at,
           'finished_at', b.executed_at, 'cancelled_by', b.ended_by)
  from tasker.bulk_actions b
  where b.token = p_token
$$;
comment on function tasker.get_bulk_action_document(uuid) is
  'A bulk action as the REST interface shows it; null when there is none.';
