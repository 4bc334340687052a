-- Requests the cancel of a task and does at once what the orchestrator may do: steps that are not
-- handed off and offers that no server has accepted become cancelled, and no step starts. Running
-- steps finish (allow_finish) or are asked to stop (cancel_running); recovery ends those that still
-- run at the end of the grace period. The task is cancelled when no step is in flight. Idempotent;
-- a second request may turn allow_finish into cancel_running.
-- p_grace_seconds: null for the template's lifecycle.cancel_grace_seconds, or else
-- p_default_grace_seconds. p_children cancel: the same for all its descendants, in the same
-- transaction; leave: they continue.
-- p_compensate: what these tasks have done is compensated when no step is in flight any more, and
-- they end after it; a later request may still ask for it. A task whose compensation has begun is
-- not cancelled: already_requested when a cancel began it, otherwise refused with the code
-- task-is-being-cancelled.
-- Returns {outcome, state, ended: [{task_uuid, state}]}: requested, already_requested,
-- already_ended for a finished task, or refused with the code task-not-found, or invalid-request
-- when the template has no compensation. Errors: TK007 for an invalid policy, children or grace
-- period.
-- Locks: the task and its children by uuid, then their steps by uuid. A child is younger than its
-- parent, so one that was just submitted is next in that order; submit_tasks waits for its parent's
-- lock.
-- Source: ADR 0012.
create or replace function tasker.request_cancel(
  p_task_uuid   uuid,
  p_by          text,
  p_reason      text,
  p_policy      text        default 'cancel_running',
  p_server_uuid uuid        default null,
  p_now         timestamptz default null,
  p_bulk_token  uuid        default null,
  p_grace_seconds int       default null,
  p_children    text        default 'leave',
  p_default_grace_seconds int default 30,
  p_compensate    boolean     default false)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now    timestamptz;
  v_task   tasker.tasks;
  v_known  uuid[] := array[p_task_uuid];
  v_tasks  uuid[];
  v_asked  uuid[];
  v_moves  tasker.step_move[];
  v_moved  uuid[];
  v_deltas tasker.task_delta[];
  v_revoked uuid[];
  v_refusal jsonb;
  v_ended  jsonb;
begin
  if p_children is null or p_children not in ('cancel', 'leave') then
    raise exception 'children must be cancel or leave, not %', coalesce(p_children, 'null')
      using errcode = 'TK007';
  end if;
  if p_policy is null or not p_policy = any (enum_range(null::tasker.cancel_policy)::text[]) then
    raise exception 'policy must be %, not %',
      array_to_string(enum_range(null::tasker.cancel_policy), ' or '), coalesce(p_policy, 'null')
      using errcode = 'TK007';
  end if;
  if p_grace_seconds < 0 or p_default_grace_seconds < 0 then
    raise exception 'grace_seconds must be 0 or more, not %',
      least(p_grace_seconds, p_default_grace_seconds)
      using errcode = 'TK007';
  end if;
  perform tasker.lock_tasks(v_known);
  select * into v_task from tasker.tasks t where t.task_uuid = p_task_uuid;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  if v_task.completed_at is not null then
    return jsonb_build_object(
      'outcome', 'already_ended', 'state', v_task.state, 'ended', '[]'::jsonb);
  end if;
  v_refusal := tasker.judge_end_of_task(v_task, 'cancel', p_compensate);
  if v_refusal is not null then
    return v_refusal || case v_refusal ->> 'outcome'
      when 'already' then '{"outcome": "already_requested", "ended": []}'
      else '{"ended": []}' end::jsonb;
  end if;
  -- A locked parent gets no more children; a second query finds those that were created before the
  -- lock.
  while p_children = 'cancel' loop
    with recursive tree as (
      select p_task_uuid as task_uuid
      union
      select c.task_uuid from tree p join tasker.tasks c on c.parent_task_uuid = p.task_uuid)
    select array_agg(t.task_uuid) into v_tasks from tree t;
    exit when cardinality(v_tasks) = cardinality(v_known);
    perform tasker.lock_tasks(v_tasks);
    v_known := v_tasks;
  end loop;

  -- Under the locks: every handoff of the tasks is dated before or after it.
  v_now := coalesce(p_now, clock_timestamp());
  if p_compensate then
    insert into tasker.task_compensations (task_uuid, cause, state, asked_at, asked_by, reason)
    select t.task_uuid, 'cancel', 'asked', v_now, coalesce(tasker.get_caller(), p_by), p_reason
    from tasker.tasks t
    where t.task_uuid = any (v_known)
      and t.completed_at is null
      and exists (select from tasker.named_tasks_named_steps n
                  where n.named_task_uuid = t.named_task_uuid and n.step_type = 'compensation')
    on conflict (task_uuid) do nothing;
  end if;
  with asked as (
    select t.task_uuid, t.cancel_requested_at is null as is_new, nt.cancel_grace_seconds
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    where t.task_uuid = any (v_known) and t.completed_at is null and t.compensation is null),
  marked as (
    update tasker.tasks t
    set cancel_requested_at = coalesce(t.cancel_requested_at, v_now),
        cancel_requested_by = case when a.is_new then coalesce(tasker.get_caller(), p_by)
                                   else t.cancel_requested_by end,
        cancel_claimed_actor = case when not a.is_new then t.cancel_claimed_actor
                                    when tasker.get_caller() <> p_by then p_by end,
        cancel_reason = case when a.is_new then p_reason else t.cancel_reason end,
        cancel_policy = p_policy::tasker.cancel_policy,
        cancel_children = coalesce(t.cancel_children, false) or p_children = 'cancel',
        cancel_force_at = case when p_policy = 'cancel_running' then
                                 v_now + coalesce(p_grace_seconds, a.cancel_grace_seconds,
                                                  p_default_grace_seconds) * interval '1 second' end
    from asked a
    where t.task_uuid = a.task_uuid
      and (a.is_new
           or (p_policy = 'cancel_running' and t.cancel_policy = 'allow_finish')
           or (p_children = 'cancel' and not t.cancel_children))
      -- A request for less than an earlier one changes nothing.
      and (a.is_new or p_policy = 'cancel_running' or t.cancel_policy = 'allow_finish')
    returning t.task_uuid, t.cancel_force_at),
  woken as (
    update tasker.task_wakeups w set wake_at = m.cancel_force_at
    from marked m
    where w.task_uuid = any (v_known)
      and w.task_uuid = m.task_uuid
      and w.wake_at > m.cancel_force_at)
  select array_agg(m.task_uuid) into v_asked from marked m;
  if v_asked is null then
    return jsonb_build_object(
      'outcome', 'already_requested', 'state', v_task.state, 'ended', '[]'::jsonb);
  end if;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, bulk_token, details)
  select v_now, 'cancel', coalesce(nullif(btrim(p_by), ''), 'anonymous'),
         coalesce(nullif(btrim(p_reason), ''), 'no reason given'), t.task_uuid, p_bulk_token,
         jsonb_strip_nulls(jsonb_build_object(
                             'before', jsonb_build_object('state', t.state), 'policy', p_policy,
                             'because_of', case
                               when t.task_uuid <> p_task_uuid then p_task_uuid end))
  from tasker.tasks t
  where t.task_uuid = any (v_asked)
  order by t.task_uuid;

  with not_running as (
    select s.workflow_step_uuid, s.handoffs, s.state
    from tasker.workflow_steps s
    where s.workflow_step_uuid
        = any (array(select o.workflow_step_uuid
                     from unnest(v_asked) as a(task_uuid)
                     cross join lateral tasker.get_open_steps(a.task_uuid) o
                     where o.state in ('pending', 'waiting_for_retry', 'enqueued')))
      -- Again, of the row that is locked: it may have been claimed meanwhile.
      and s.state in ('pending', 'waiting_for_retry', 'enqueued')
    order by s.workflow_step_uuid
    for update)
  select array_agg((n.workflow_step_uuid, n.handoffs, n.state, 'cancelled', 'orchestrator',
                    jsonb_strip_nulls(jsonb_build_object('by', coalesce(tasker.get_caller(), p_by),
                                                         'reason', p_reason)),
                    null, null, null, null, null)::tasker.step_move) into v_moves
  from not_running n;
  select m.o_moved, m.o_deltas into v_moved, v_deltas
  from tasker.apply_step_moves(v_moves, p_server_uuid, v_now) m;
  select array_agg(m.step_uuid) into v_revoked
  from unnest(v_moves) m
  where m.from_state = 'enqueued' and m.step_uuid = any (v_moved);
  perform tasker.cancel_waits(v_asked, null, v_now);
  if v_revoked is not null then
    perform tasker.withdraw_messages(v_revoked);
  end if;
  perform tasker.recount_batches(v_asked);

  select coalesce(jsonb_agg(jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state,
                                               'correlation_id', (select t.correlation_id
                                                                  from tasker.tasks t
                                                                  where t.task_uuid
                                                                      = c.task_uuid))),
                  '[]') into v_ended
  from tasker.roll_up_task_states(
    v_deltas || (select array_agg((a, 0, 0, 0, 0)::tasker.task_delta) from unnest(v_asked) a),
    p_server_uuid, p_now) c;
  return jsonb_build_object(
    'outcome', case when v_task.cancel_requested_at is null then 'requested'
                    else 'already_requested' end,
    'state', (select t.state from tasker.tasks t where t.task_uuid = p_task_uuid),
    'ended', v_ended);
end
$$;
comment on function tasker.request_cancel(
  uuid, text, text, text, uuid, timestamptz, uuid, int, text, int, boolean) is
  'Requests the cancel of a task and does at once what the orchestrator may do.';
