-- Acts on tasks of a bulk action and records the verdict on each, and their numbers. Tasks that are
-- not in p_matching are refused: they have moved since they were counted. p_isolated: an error of
-- one task is its verdict and leaves the others alone, unless it is transient.
-- p_free: the tasks that are locked by the caller; others are refused as task-locked.
-- Returns the namespaces of queues that got messages, and the tasks that ended. Locks: the caller
-- holds the token and the tasks in p_free.
create or replace function tasker.act_on_tasks_of_bulk(
  p_bulk tasker.bulk_actions, p_task_uuids uuid[], p_matching uuid[], p_isolated boolean,
  p_server_uuid uuid, p_now timestamptz,
  p_free uuid[], out o_queued jsonb, out o_ended jsonb)
language plpgsql
set search_path = ''
as $$
declare
  v_task     uuid;
  v_reply    jsonb;
  v_verdicts jsonb := '[]';
begin
  o_queued := '[]';
  o_ended := '[]';
  foreach v_task in array coalesce(p_task_uuids, '{}') loop
    if not v_task = any (p_free) then
      v_reply := jsonb_build_object('outcome', 'refused', 'code', 'task-locked', 'message',
        'another transaction has held the task for too long; act on it again later');
    elsif not v_task = any (p_matching) then
      v_reply := jsonb_build_object('outcome', 'refused', 'code', 'no-longer-matches',
                                    'message', 'the task has changed since it was counted, and '
                                               'the filter and the action no longer fit it');
    elsif not p_isolated then
      v_reply := tasker.act_on_task_of_bulk(p_bulk, v_task, p_server_uuid, p_now);
    else
      begin
        v_reply := tasker.act_on_task_of_bulk(p_bulk, v_task, p_server_uuid, p_now);
      exception when others then
        if tasker.is_transient_error(sqlstate) then
          raise;
        end if;
        v_reply := jsonb_build_object(
          'outcome', 'refused', 'code', 'action-failed',
          'message', format('the action failed with the database error %s', sqlstate));
      end;
    end if;
    v_verdicts := v_verdicts || jsonb_build_object(
      'task_uuid', v_task, 'outcome', v_reply -> 'outcome', 'code', v_reply -> 'code',
      'message', v_reply -> 'message');
    o_queued := o_queued || coalesce(nullif(v_reply -> 'queued', 'null'), '[]');
    o_ended := o_ended || coalesce(nullif(v_reply -> 'ended', 'null'), '[]');
  end loop;
  o_queued := (select coalesce(jsonb_agg(distinct q), '[]') from jsonb_array_elements(o_queued) q);
  insert into tasker.bulk_action_tasks (token, task_uuid, outcome, code, message, acted_at)
  select p_bulk.token, v.task_uuid, v.outcome, v.code, v.message, coalesce(p_now, clock_timestamp())
  from jsonb_to_recordset(v_verdicts) v(task_uuid uuid, outcome text, code text, message text);
  update tasker.bulk_actions b
  set done_tasks = b.done_tasks + v.done, already_tasks = b.already_tasks + v.already,
      refused_tasks = b.refused_tasks + v.refused
  from (select (count(*) filter (where x ->> 'outcome' = 'done'))::int as done,
               (count(*) filter (where x ->> 'outcome' = 'already'))::int as already,
               (count(*) filter (where x ->> 'outcome' = 'refused'))::int as refused
        from jsonb_array_elements(v_verdicts) x) v
  where b.token = p_bulk.token;
end
$$;
comment on function tasker.act_on_tasks_of_bulk(
  tasker.bulk_actions, uuid[], uuid[], boolean, uuid, timestamptz, uuid[]) is
  'Acts on tasks of a bulk action and records the verdict on each.';
