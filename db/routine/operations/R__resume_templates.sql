-- Ends a pause that pause_templates made with the same namespace, name and version, and makes the
-- waiting tasks due at once. A template that has both its own pause and its namespace's stays
-- paused by the other.
-- Returns {outcome, tasks}: resumed, already when it was not paused, or refused with the code
-- template-not-found when there is no such namespace or template; tasks is how many become due.
-- Locks: the namespace, then the waiting tasks by uuid. Errors: TK007 as check_action.
create or replace function tasker.resume_templates(
  p_namespace text, p_name text, p_version text, p_by text, p_reason text,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_found     record;
  v_space     tasker.task_namespaces;
  v_templates uuid[];
  v_waiting   uuid[];
  v_due       int;
begin
  perform tasker.check_action('resume', array['resume'], p_by, p_reason);
  v_found := tasker.find_templates_to_pause(p_namespace, p_name, p_version);
  if v_found.o_refusal is not null then
    return v_found.o_refusal;
  end if;
  v_space := v_found.o_namespace;

  with ended as (
    delete from tasker.template_pauses p
    where p.named_task_uuid = any (v_found.o_templates) and p.is_namespace = (p_name is null)
    returning p.named_task_uuid)
  select array_agg(e.named_task_uuid) into v_templates from ended e;
  if p_name is null then
    update tasker.task_namespaces ns
    set paused_at = null, paused_by = null, pause_claimed_actor = null, pause_reason = null,
        updated_at = v_now
    where ns.task_namespace_uuid = v_space.task_namespace_uuid and ns.paused_at is not null;
  end if;
  if v_templates is null and v_space.paused_at is null
     or (p_name is not null and v_templates is null) then
    return jsonb_build_object('outcome', 'already', 'tasks', 0);
  end if;

  -- Also those that are due: another session may be evaluating one that it found paused, and is
  -- about to postpone it.
  select array_agg(w.task_uuid) into v_waiting
  from tasker.task_wakeups w join tasker.tasks t on t.task_uuid = w.task_uuid
  where t.named_task_uuid = any (v_templates);
  -- Under the tasks' locks, or two sessions could take the wake-ups in different orders.
  perform tasker.lock_tasks(v_waiting);
  update tasker.task_wakeups w set wake_at = v_now
  where w.task_uuid = any (v_waiting) and w.wake_at > v_now;
  get diagnostics v_due = row_count;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, namespace, template_name, template_version, details)
  values (v_now, 'resume', p_by, p_reason, p_namespace, p_name, p_version,
          jsonb_build_object('tasks', v_due));
  return jsonb_build_object('outcome', 'resumed', 'tasks', v_due);
end
$$;
comment on function tasker.resume_templates(text, text, text, text, text, timestamptz) is
  'Ends a pause and makes the waiting tasks due at once.';
