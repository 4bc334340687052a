-- Erases the documents of a task that has ended, with a name and a reason: erase_documents says
-- what goes and what remains. The task cannot be retried, resolved or forked any more. p_children:
-- also of all its descendants. p_force: an unfinished task of which nothing is offered or running
-- is cancelled first. p_namespaces: as judge_erasure has it. Idempotent: an erased task is erased
-- no second time.
-- Returns {outcome, state, erased_at, tasks, forks, queued, ended}: outcome is done, already or
-- refused, then with code and message: task-not-found, task-not-erasable, steps-in-flight, not-
-- permitted. tasks is how many were erased; forks are up to 100 tasks with copies of these
-- documents that are not erased: they are tasks of their own.
-- Locks: an advisory lock shared, which drop_history_month takes alone; then the task and its
-- family by uuid. A child is younger than its parent, so one that was just submitted is next in
-- that order. Errors: TK007 as check_action, and for a flag that is null.
-- Source: ADR 0094.
create or replace function tasker.erase_task_documents(
  p_task_uuid uuid, p_by text, p_reason text, p_children boolean default true,
  p_force boolean default false, p_server_uuid uuid default null, p_now timestamptz default null,
  p_namespaces jsonb default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_task    tasker.tasks;
  v_family  uuid[] := array[p_task_uuid];
  v_found   uuid[];
  v_refusal jsonb;
  v_cancel  jsonb;
  v_now     timestamptz;
begin
  perform tasker.check_action('erase', array['erase'], p_by, p_reason);
  if p_children is null or p_force is null then
    raise exception 'children and force must be true or false, not null' using errcode = 'TK007';
  end if;
  -- A family of none would never be complete.
  if p_task_uuid is null then
    return tasker.refuse_unknown('task', null);
  end if;
  perform pg_catalog.pg_advisory_xact_lock_shared(
    pg_catalog.hashtext('tasker.ensure_history_partitions'));
  loop
    perform tasker.lock_tasks(v_family);
    v_found := array(select f.task_uuid
                     from tasker.find_erasure_family(array[p_task_uuid], p_children) f);
    exit when v_found <@ v_family;
    v_family := v_found;
  end loop;
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  v_family := array(select t.task_uuid
                    from tasker.tasks t
                    where t.task_uuid = any (v_family) and t.erased_at is null
                    order by t.task_uuid);
  if v_family = '{}' then
    return jsonb_build_object(
      'outcome', 'already', 'state', v_task.state, 'erased_at', v_task.erased_at, 'tasks', 0,
      'forks', '[]'::jsonb, 'queued', '[]'::jsonb, 'ended', '[]'::jsonb);
  end if;
  v_refusal := tasker.judge_erasure(v_task, p_children, p_namespaces);
  if v_refusal is not null and p_force and v_task.completed_at is null then
    if v_task.in_flight_steps > 0 then
      return v_refusal || jsonb_build_object(
        'code', 'steps-in-flight',
        'message', format('%s steps are offered or running; cancel the task, and erase it when it '
                          'has ended', v_task.in_flight_steps));
    end if;
    begin
      v_cancel := tasker.request_cancel(
        p_task_uuid, p_by, p_reason, 'cancel_running', p_server_uuid, p_now);
      select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid;
      v_refusal := tasker.judge_erasure(v_task, p_children, p_namespaces);
      if v_refusal is not null then
        raise sqlstate 'DRY00';
      end if;
    exception when sqlstate 'DRY00' then
      -- What was refused has not been cancelled either.
      null;
    end;
  end if;
  if v_refusal is not null then
    return v_refusal;
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  perform tasker.erase_documents(
    v_family, p_by, p_reason,
    (select jsonb_object_agg(u.task_uuid, jsonb_strip_nulls(jsonb_build_object(
                               'because_of', case
                                 when u.task_uuid <> p_task_uuid then p_task_uuid end,
                               'children', p_children,
                               'forced', case when v_cancel is not null then true end)))
     from unnest(v_family) as u(task_uuid)),
    v_now);
  return jsonb_build_object(
    'outcome', 'done', 'state', v_task.state, 'erased_at', v_now, 'tasks', cardinality(v_family),
    'forks', tasker.find_unerased_forks(v_family), 'queued', '[]'::jsonb,
    'ended', coalesce(v_cancel -> 'ended', '[]'));
end
$$;
comment on function tasker.erase_task_documents(
  uuid, text, text, boolean, boolean, uuid, timestamptz, jsonb) is
  'Erases the documents of a task that has ended, with a name and a reason.';
