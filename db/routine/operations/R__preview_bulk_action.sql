-- The dry run of an action on many tasks: counts those that match p_filter (see
-- find_tasks_for_action) and that allow the action, and returns a token that run_bulk_action
-- requires. Changes no task.
-- p_action: retry, resolve, fail, cancel, compensate, or close_dead_letters, which closes the open
-- dead letters of the tasks as p_resolution, a status other than pending. p_made_by: the caller
-- over REST, the only one that may use the token. More than p_at_once tasks, or fewer with
-- p_background, are remembered, and the run only starts the action on them: see
-- advance_bulk_actions.
-- Returns {token, count, background, by_state, expires_at, sample}, where count may be 0; {count,
-- limit} without a token when there are more than p_limit tasks.
-- Locks: none but the new row; deletes unused tokens that expired more than a day ago.
-- Errors: TK007 as check_action and find_tasks_for_action, and for an invalid limit, validity or
-- resolution.
-- Source: ADR 0015, ADR 0058.
create or replace function tasker.preview_bulk_action(
  p_action text, p_filter jsonb, p_by text, p_reason text, p_limit int default 100000,
  p_valid_for interval default '10 minutes', p_made_by text default null,
  p_at_once int default 1000, p_background boolean default false,
  p_resolution text default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_tasks         uuid[];
  v_is_background boolean;
  v_row           tasker.bulk_actions;
begin
  perform tasker.check_action(
    p_action,
    array['retry', 'resolve', 'fail', 'cancel', 'compensate', 'close_dead_letters'], p_by,
    p_reason);
  if (p_action = 'close_dead_letters') is distinct from (p_resolution is not null)
    or not p_resolution = any (
      array_remove(enum_range(null::tasker.dlq_resolution_status)::text[], 'pending')) then
    raise exception 'close_dead_letters, and no other action, has a resolution: one of %',
      array_to_string(
        array_remove(enum_range(null::tasker.dlq_resolution_status)::text[], 'pending'), ', ')
      using errcode = 'TK007';
  end if;
  if tasker.check_document(p_filter, 65536) is not null then
    raise exception 'the filter %', tasker.check_document(p_filter, 65536) using errcode = 'TK007';
  end if;
  if p_limit is null or p_limit not between 1 and 1000000 then
    raise exception 'limit must be 1 to 1000000, not %', coalesce(p_limit::text, 'null')
      using errcode = 'TK007';
  end if;
  if p_valid_for is null or p_valid_for <= interval '0' then
    raise exception 'valid_for must be longer than 0, not %', coalesce(p_valid_for::text, 'null')
      using errcode = 'TK007';
  end if;
  v_tasks := coalesce(tasker.find_tasks_for_action(p_action, p_filter, p_limit + 1), '{}');
  if cardinality(v_tasks) > p_limit then
    return jsonb_build_object('count', cardinality(v_tasks), 'limit', p_limit);
  end if;
  v_is_background := coalesce(p_background, false) or cardinality(v_tasks) > p_at_once;
  delete from tasker.bulk_actions b
  where b.token = any (array(select o.token
                             from tasker.bulk_actions o
                             where o.started_at is null
                               and o.executed_at is null
                               and o.expires_at < clock_timestamp() - interval '1 day' limit 100));
  insert into tasker.bulk_actions
    (action, filter, acted_by, reason, task_count, set_hash, expires_at, made_by, is_background,
     tasks, resolution)
  values (p_action, p_filter, p_by, p_reason, cardinality(v_tasks),
          tasker.hash_tasks(case when v_is_background then '{}' else v_tasks end),
          clock_timestamp() + p_valid_for, p_made_by, v_is_background,
          case when v_is_background then v_tasks end, p_resolution)
  returning * into v_row;
  return jsonb_build_object('token', v_row.token, 'count', v_row.task_count,
                            'background', v_is_background, 'expires_at', v_row.expires_at,
                            'by_state', (select coalesce(jsonb_object_agg(c.state, c.tasks), '{}')
                                         from (select t.state, count(*) as tasks
                                               from tasker.tasks t
                                               where t.task_uuid = any (v_tasks)
                                               group by t.state) c),
                            'sample', to_jsonb(v_tasks[1:20]));
end
$$;
comment on function tasker.preview_bulk_action(
  text, jsonb, text, text, int, interval, text, int, boolean, text) is
  'The dry run of an action on many tasks: counts them and gives the token that the real run '
  'must present.';
