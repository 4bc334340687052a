-- One part of the oldest bulk action in the background that no other server is at: up to p_limit of
-- the tasks that the dry run counted, in their order. Each is locked and looked at again: one that
-- another transaction holds for more than five seconds is refused, and so is one that no longer
-- matches the filter, or no longer allows the action. Progress and verdicts commit with the
-- actions, so that after the death of a server the next one goes on where the last part ended.
-- Before each part the permissions of the user or key that made it are checked again; without them
-- the rest is given up with the outcome stopped.
-- Returns {tasks, token?, claimed_steps, queued, ended}: how many were looked at; 0 when there is
-- nothing to do.
-- Locks: the bulk action, skip locked, then the tasks by uuid. Source: ADR 0058.
create or replace function tasker.advance_bulk_actions(
  p_server_uuid uuid default null, p_limit int default 50, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_bulk  tasker.bulk_actions;
  v_tasks uuid[];
  v_free  uuid[];
  v_done  int;
  v_ended text;
  v_queued      jsonb := '[]';
  v_tasks_ended jsonb := '[]';
begin
  select b.* into v_bulk
  from tasker.bulk_actions b
  where b.started_at is not null and b.executed_at is null and b.is_background
  order by b.started_at, b.token limit 1 for update skip locked;
  if not found then
    return '{"tasks": 0, "claimed_steps": [], "queued": [], "ended": []}';
  end if;
  v_done := v_bulk.done_tasks + v_bulk.already_tasks + v_bulk.refused_tasks;
  if not tasker.may_still_act(v_bulk.made_by, 'tasks:act', v_bulk.filter ->> 'namespace')
     or (v_bulk.action in ('cancel', 'compensate')
         and not tasker.may_still_act(
           v_bulk.made_by, 'tasks:cancel', v_bulk.filter ->> 'namespace'))
     or (v_bulk.action = 'close_dead_letters'
         and not tasker.may_still_act(
           v_bulk.made_by, 'dlq:update', v_bulk.filter ->> 'namespace')) then
    v_ended := 'stopped';
  else
    perform tasker.set_caller(v_bulk.run_as);
    v_tasks := v_bulk.tasks[v_done + 1:v_done + p_limit];
    v_free := tasker.try_lock_tasks(v_tasks);
    select a.o_queued, a.o_ended into v_queued, v_tasks_ended
    from tasker.act_on_tasks_of_bulk(
      v_bulk, v_tasks,
      coalesce(tasker.find_tasks_for_action(v_bulk.action, v_bulk.filter, p_limit, v_tasks), '{}'),
      true, p_server_uuid, p_now, v_free) a;
    v_done := v_done + cardinality(v_tasks);
    v_ended := case when v_done >= v_bulk.task_count then 'done' end;
  end if;
  if v_ended is not null then
    update tasker.bulk_actions b
    set executed_at = coalesce(p_now, clock_timestamp()), tasks = null,
        result = tasker.get_bulk_action_result(b, v_ended)
    where b.token = v_bulk.token;
  end if;
  return jsonb_build_object(
    'tasks', greatest(coalesce(cardinality(v_tasks), 0), 1), 'token', v_bulk.token,
    'claimed_steps', '[]'::jsonb, 'queued', v_queued, 'ended', v_tasks_ended);
end
$$;
comment on function tasker.advance_bulk_actions(uuid, int, timestamptz) is
  'One part of the oldest bulk action in the background: up to p_limit of its tasks, with a '
  'verdict on each.';
