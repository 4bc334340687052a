-- Processes notices between tasks, each under the lock of its receiver and of no other task: names
-- the parents whose child has ended, for the caller to evaluate, and requests the cancel of a
-- child. Leaves out receivers that another session has locked: their notices stay.
-- Returns {notices, ended: [..], parents: [..]}: how many it deleted, the tasks that ended by it,
-- and the uuids of the parents in their order, without those that are due or were set aside: these
-- come from get_next_ready_tasks.
-- Locks: the receivers, skip locked, in the order of their uuids. Source: ADR 0043.
create or replace function tasker.deliver_notices(
  p_server_uuid uuid, p_limit int default 100, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_receivers uuid[];
  v_locked    uuid[];
  v_notices   tasker.task_notices[];
  v_cancel    tasker.task_notices;
  v_ended     jsonb := '[]';
  v_parents   uuid[];
begin
  if not exists (select from tasker.task_notices) then
    return '{"notices": 0, "ended": [], "parents": []}';
  end if;
  -- Whatever is locked by another session must not hide the others, so the limit counts what was
  -- locked.
  with receivers as materialized (
    select distinct i.task_uuid from tasker.task_notices i),
  locked as (
    select t.task_uuid from receivers r join tasker.tasks t on t.task_uuid = r.task_uuid
    order by t.task_uuid limit p_limit for no key update of t skip locked)
  select array_agg(l.task_uuid) into v_locked from locked l;
  select array_agg(r.task_uuid) into v_receivers
  from (select distinct i.task_uuid
        from tasker.task_notices i
        where not exists (select from tasker.tasks t where t.task_uuid = i.task_uuid)) r;
  if v_locked is null and v_receivers is null then
    return '{"notices": 0, "ended": [], "parents": []}';
  end if;

  -- Notices that other sessions have not committed stay, and are found later. Another session may
  -- have deleted all that were seen above.
  with gone as (
    delete from tasker.task_notices i
    where i.task_uuid = any (v_locked || v_receivers)
    returning i.*)
  select coalesce(array_agg(g::tasker.task_notices order by g.notice_uuid), '{}') into v_notices
  from gone g;
  -- The difference keeps the planner from reading all wake-ups that are later, by the index on
  -- wake_at.
  select array_agg(w.task_uuid order by w.task_uuid) into v_parents
  from tasker.task_wakeups w
  where w.task_uuid = any (array(select n.task_uuid
                                 from unnest(v_notices) n
                                 where n.kind = 'child_ended' and n.task_uuid = any (v_locked)))
    and w.wake_at - v_now > interval '0'
    -- What the database gave up is only taken alone, when its turn comes.
    and not exists (select from tasker.task_faults f
                    where f.task_uuid = w.task_uuid and tasker.is_too_expensive(f.sqlstate));
  foreach v_cancel in array v_notices loop
    if v_cancel.kind = 'cancel' and v_cancel.task_uuid = any (v_locked) then
      v_ended := v_ended || coalesce(
        tasker.request_cancel(
          v_cancel.task_uuid, left(coalesce(v_cancel.details ->> 'by', 'the parent task'), 128),
          v_cancel.details ->> 'reason', coalesce(v_cancel.details ->> 'policy', 'cancel_running'),
          p_server_uuid, p_now,
          p_compensate => coalesce((v_cancel.details ->> 'compensate')::boolean, false)) -> 'ended',
        '[]');
    end if;
  end loop;
  return jsonb_build_object('notices', coalesce(cardinality(v_notices), 0), 'ended', v_ended,
                            'parents', coalesce(v_parents, '{}'));
end
$$;
comment on function tasker.deliver_notices(uuid, int, timestamptz) is
  'Processes notices between tasks, each under the lock of its receiver.';
