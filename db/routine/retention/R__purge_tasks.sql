-- Deletes tasks with everything that belongs to them, except their history, which is dropped with
-- its month, and operator actions, which stay.
-- Skips tasks that are not finished; that another transaction has locked; that have an open dead
-- letter; whose parent still exists; that have an unfinished child; that another task compensates;
-- whose last move the analytics have not counted yet; with domain events that a consumer has yet to
-- be sent (get_event_floor); and with an event that a webhook has still to deliver.
-- Returns the purged tasks: an empty array for a null, an empty or an unknown selection.
-- Locks: the tasks, skip locked; then, for its last statements, analytics_progress, so that no two
-- change the tallies at once.
-- Source: ADR 0021.
create or replace function tasker.purge_tasks(p_task_uuids uuid[])
returns uuid[]
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_locked uuid[];
  v_gone   uuid[];
  v_steps  uuid[];
  v_states tasker.step_state[];
  v_ends   tasker.task_state[];
  v_floor  bigint := tasker.get_event_floor();
begin
  select array_agg(l.task_uuid) into v_locked
  from (select t.task_uuid from tasker.tasks t
        where t.task_uuid = any (p_task_uuids) and t.completed_at is not null
        order by t.task_uuid for update skip locked) l;
  if v_locked is null then
    return '{}';
  end if;

  -- Checked after taking the locks: a transaction that submits a child or reopens the task locks it
  -- too.
  with gone as (
    insert into tasker.purged_tasks (task_uuid, created_at, last_move_at)
    select t.task_uuid, least(t.created_at, h.created_at), greatest(t.completed_at, h.created_at)
    from tasker.tasks t
    join tasker.task_moves h on h.task_uuid = t.task_uuid and h.sort_key = t.transition_count
    join tasker.analytics_progress a on h.xact_id < a.next_xact or h.created_at <= a.rebuilt_at
    where t.task_uuid = any (v_locked)
      and not exists (select from tasker.tasks p where p.task_uuid = t.parent_task_uuid)
      and not exists (select from tasker.tasks c
                      where c.parent_task_uuid = t.task_uuid and c.completed_at is null)
      and not exists (select from tasker.tasks x where x.compensates_task_uuid = t.task_uuid)
      and not exists (select from tasker.tasks_dlq d
                      where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')
      and (v_floor is null
           or not exists (select from tasker.domain_events e
                          where e.task_uuid = t.task_uuid and coalesce(e.position > v_floor, true)))
      -- Asked for each task, this is two fifths of a purge.
      and (not exists (select from tasker.webhooks w where w.deleted_at is null)
           or not tasker.is_awaited_by_webhook(t.task_uuid))
    returning task_uuid)
  select array_agg(g.task_uuid) into v_gone from gone g;
  if v_gone is null then
    return '{}';
  end if;

  with gone as (
    delete from tasker.workflow_steps s
    where s.task_uuid = any (v_gone)
    returning s.workflow_step_uuid, s.state)
  select coalesce(array_agg(g.workflow_step_uuid), '{}'), coalesce(array_agg(g.state), '{}')
    into v_steps, v_states
  from gone g;
  delete from tasker.workflow_step_documents d where d.workflow_step_uuid = any (v_steps);
  delete from tasker.added_step_edges e where e.task_uuid = any (v_gone);
  delete from tasker.workflow_step_result_audit r where r.workflow_step_uuid = any (v_steps);
  with gone as (
    delete from tasker.tasks t where t.task_uuid = any (v_gone) returning t.state)
  select array_agg(g.state) into v_ends from gone g;

  perform from tasker.analytics_progress a for update;
  update tasker.task_state_tallies y set tasks = y.tasks - g.n
  from (select u.state, count(*) as n from unnest(v_ends) as u(state) group by u.state) g
  where y.state = g.state;
  update tasker.step_state_tallies y set steps = y.steps - g.n
  from (select u.state, count(*) as n from unnest(v_states) as u(state) group by u.state) g
  where y.state = g.state;
  return v_gone;
end
$$;
comment on function tasker.purge_tasks(uuid[]) is
  'Deletes tasks with everything that belongs to them, except their history, which is dropped '
  'with its month, and operator actions, which stay.';
