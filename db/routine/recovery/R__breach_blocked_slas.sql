-- Lets blocked tasks breach their SLA in time. Nothing of them is evaluated, and they have no
-- wake-up; their dead letter has the time (sla_due_at). Takes up to p_limit whose time has come,
-- the earliest first, and leaves those alone that another session has locked: they are taken next
-- time. A task that is not blocked any more breaches its SLA as every other one, when it is
-- evaluated. One for which the escalation raises an error does not hold up the others, and is tried
-- again after a minute.
-- Returns how many it has taken. Locks: the tasks, skip locked, then their dead letters. Errors:
-- transient ones only.
create or replace function tasker.breach_blocked_slas(p_limit int, p_now timestamptz default null)
returns int
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_due   uuid[];
  v_task  record;
  v_taken int := 0;
  v_state text;
  v_cause text;
begin
  select array_agg(d.task_uuid) into v_due
  from (select q.task_uuid
        from tasker.tasks_dlq q
        where q.sla_due_at <= v_now
        order by q.sla_due_at limit p_limit) d;
  if v_due is null then
    return 0;
  end if;
  for v_task in
    select t.task_uuid, t.state = 'blocked_by_failures' as is_blocked
    from tasker.tasks t where t.task_uuid = any (v_due)
    order by t.task_uuid
    for no key update skip locked
  loop
    begin
      if v_task.is_blocked then
        perform tasker.escalate_sla_breaches(array[v_task.task_uuid], p_now);
      end if;
      update tasker.tasks_dlq d
      set sla_due_at = case when v_task.is_blocked then 'infinity' end::timestamptz
      where d.task_uuid = v_task.task_uuid and d.sla_due_at <= v_now;
    exception when others then
      get stacked diagnostics v_state = returned_sqlstate, v_cause = message_text;
      if tasker.is_transient_error(v_state) then
        raise;
      end if;
      raise warning 'the SLA of the blocked task % cannot be breached: %', v_task.task_uuid,
        v_cause;
      update tasker.tasks_dlq d set sla_due_at = v_now + interval '1 minute'
      where d.task_uuid = v_task.task_uuid and d.sla_due_at <= v_now;
    end;
    v_taken := v_taken + 1;
  end loop;
  return v_taken;
end
$$;
comment on function tasker.breach_blocked_slas(int, timestamptz) is
  'Records the SLA breaches of blocked tasks, up to p_limit of those that are due.';
