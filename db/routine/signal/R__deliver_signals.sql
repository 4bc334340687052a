-- Delivers queued signals to up to p_limit tasks, those first whose signal has waited longest: puts
-- them into the mailboxes and makes the tasks due whose step waits for one, so that
-- get_next_ready_tasks takes them. Leaves out tasks that another session has locked: their signals
-- stay queued.
-- Returns the number of tasks to which it delivered. Locks: the tasks, skip locked. Source: ADR
-- 0057.
create or replace function tasker.deliver_signals(
  p_limit int default 100, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_locked uuid[];
  v_gone   uuid[];
begin
  if not exists (select from tasker.queued_signals q where q.refused_at is null) then
    return 0;
  end if;
  -- The limit counts what was locked, so that tasks that other sessions have locked do not hide the
  -- others; a task takes ten thousand signals at most.
  with receivers as materialized (
    select o.task_uuid, min(o.turn) as first
    from (select q.task_uuid, row_number() over (order by q.queued_uuid) as turn
          from tasker.queued_signals q
          where q.refused_at is null
          order by q.queued_uuid limit 20000) o
    group by o.task_uuid),
  locked as (
    select t.task_uuid
    from receivers r
    join tasker.tasks t on t.task_uuid = r.task_uuid
    order by r.first limit p_limit for no key update of t skip locked)
  select coalesce(array_agg(l.task_uuid order by l.task_uuid), '{}') into v_locked from locked l;
  select coalesce(array_agg(distinct q.task_uuid), '{}') into v_gone
  from (select q.task_uuid
        from tasker.queued_signals q
        where q.refused_at is null
        order by q.queued_uuid limit 20000) q
  where not exists (select from tasker.tasks t where t.task_uuid = q.task_uuid);
  perform tasker.store_queued_signals(v_locked || v_gone, v_now);
  update tasker.task_wakeups w set wake_at = v_now
  where w.task_uuid = any (v_locked)
    and w.wake_at - v_now > interval '0'
    and exists (select from tasker.step_waits o
                join tasker.task_signals g on g.task_uuid = o.task_uuid
                  and g.name = o.signal_name
                  and g.wait_uuid is null
                where o.task_uuid = w.task_uuid and o.state = 'open');
  return cardinality(v_locked || v_gone);
end
$$;
comment on function tasker.deliver_signals(int, timestamptz) is
  'Delivers queued signals to their tasks, and makes the tasks due whose step waits for one.';
