-- What a bulk action has done so far, as run_bulk_action returns it: {outcome, action, count,
-- background, results, refusals, queued}. refusals has the first 1000. Reads only.
create or replace function tasker.get_bulk_action_result(p_bulk tasker.bulk_actions, p_outcome text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'outcome', p_outcome, 'action', p_bulk.action, 'count', p_bulk.task_count,
           'background', p_bulk.is_background,
           'results', jsonb_build_object('done', p_bulk.done_tasks, 'already', p_bulk.already_tasks,
                                         'refused', p_bulk.refused_tasks),
           'refusals', (select coalesce(jsonb_agg(jsonb_build_object(
                                                    'task_uuid', r.task_uuid, 'code', r.code,
                                                    'message', r.message) order by r.task_uuid),
                                        '[]')
                        from (select v.*
                              from tasker.bulk_action_tasks v
                              where v.token = p_bulk.token and v.outcome = 'refused'
                              order by v.task_uuid limit 1000) r),
           'queued', '[]'::jsonb)
$$;
comment on function tasker.get_bulk_action_result(tasker.bulk_actions, text) is
  'What a bulk action has done so far, as run_bulk_action returns it.';
