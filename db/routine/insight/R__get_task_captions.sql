-- What a list says of tasks besides their states: an object by task_uuid of {failure, attributes}.
-- failure is {step, error_type, message, attempts, max_attempts} of the step that stands in error
-- first of all, or null; the message has at most 300 characters. attributes is {name: value} of the
-- search attributes, or null. Tasks that do not exist are left out. failure is content of steps and
-- attributes are content of contexts: the caller shows them to those who may read them. One
-- statement for a page of tasks.
-- Locks: none.
create or replace function tasker.get_task_captions(p_task_uuids uuid[])
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
begin
  return (
    select coalesce(jsonb_object_agg(t.task_uuid,
                                     jsonb_build_object('failure', f.failure,
                                                        'attributes', x.attributes)),
                    '{}')
    from (select distinct u.task_uuid from unnest(p_task_uuids) u(task_uuid)) u
    join tasker.tasks t on t.task_uuid = u.task_uuid
    left join lateral (
      select jsonb_build_object('step', coalesce(s.name, n.name), 'error_type', a.error ->> 'type',
                                'message', left(a.error ->> 'message', 300), 'attempts', s.attempts,
                                'max_attempts', s.max_attempts) as failure
      from tasker.workflow_steps s
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      left join tasker.workflow_step_result_audit a on a.workflow_step_uuid = s.workflow_step_uuid
        and a.sort_key = s.result_sort_key
      where s.task_uuid = t.task_uuid and s.state = 'error'
      order by s.completed_at, s.workflow_step_uuid
      -- The counter of a task that is compensated counts compensating steps only.
      limit 1) f on t.failed_steps > 0 or t.compensation is not null
    left join lateral (select jsonb_object_agg(s.name, s.value) as attributes
                       from tasker.task_search_attributes s
                       where s.task_uuid = t.task_uuid) x on true);
end
$$;
comment on function tasker.get_task_captions(uuid[]) is
  'The failed step with its error, and the search attributes, for each of some tasks, by '
  'task_uuid.';
