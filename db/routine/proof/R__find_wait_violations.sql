-- Waits and signals that do not match their steps and tasks: one row per finding. Without nested
-- loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0038, docs/reference/invariants.md.
create or replace function tasker.find_wait_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with tasks as (
    select t.* from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  waits as materialized (
    select w.*,
           row_number() over (partition by w.workflow_step_uuid order by w.armed_at desc,
                              (w.state = 'open') desc, w.wait_uuid desc) = 1 as is_latest
    from tasker.step_waits w),
  signals as materialized (select g.* from tasker.task_signals g),
  steps as materialized (
    select s.workflow_step_uuid, s.task_uuid, s.state, s.remaining_parents, s.name, n.wait_for,
           n.handler_callable, r.outcome, r.handoff, m.actor as last_actor
    from tasker.named_tasks_named_steps n
    join tasker.workflow_steps s on s.named_step_uuid = n.named_step_uuid
    join tasks t on t.task_uuid = s.task_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    left join tasker.workflow_step_transitions m on m.workflow_step_uuid = s.workflow_step_uuid
      and m.sort_key = s.transition_count
    where n.wait_for is not null)
  select 'wait_is_one_of_its_step',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'step_uuid', w.workflow_step_uuid,
                            'kind', w.kind, 'signal', w.signal_name,
                            'in_template', s.wait_for - 'schema' - 'on_timeout')
  from waits w
  left join tasker.workflow_steps o on o.workflow_step_uuid = w.workflow_step_uuid
    and o.task_uuid = w.task_uuid
  left join steps s on s.workflow_step_uuid = w.workflow_step_uuid
  left join tasks t on t.task_uuid = w.task_uuid
  where o.workflow_step_uuid is null
    or (t.task_uuid is not null
        and (case w.kind when 'child_retry' then 'child' else w.kind::text end, w.signal_name::text)
          is distinct from (s.wait_for ->> 'kind',
                            case s.wait_for ->> 'kind'
                              when 'signal' then s.wait_for ->> 'name' end))
  union all
  -- How long, where the template says it and no path: months and days in UTC. An escalated approval
  -- has another due time since.
  select 'wait_is_due_as_its_template_says',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'kind', w.kind, 'armed_at', w.armed_at,
                            'due_at', w.due_at, 'in_template', x.duration)
  from waits w
  join steps s on s.workflow_step_uuid = w.workflow_step_uuid
  left join tasker.approvals a on a.approval_uuid = w.wait_uuid
  cross join lateral (select coalesce(s.wait_for ->> 'for', s.wait_for ->> 'timeout',
                                      s.wait_for ->> 'due') as duration) x
  where w.kind in ('timer', 'signal', 'approval')
    and a.escalated_at is null
    and not s.wait_for ? 'until'
    and coalesce(x.duration not like '$%', true)
    and w.due_at is distinct from (
      w.armed_at at time zone 'UTC' + x.duration::interval) at time zone 'UTC'
  union all
  select 'open_wait_is_of_a_pending_step',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'step_uuid', w.workflow_step_uuid,
                            'state', s.state, 'task_state', t.state,
                            'remaining_parents', s.remaining_parents)
  from waits w
  join steps s on s.workflow_step_uuid = w.workflow_step_uuid
  join tasks t on t.task_uuid = s.task_uuid
  where w.state = 'open'
    and (s.state <> 'pending'
         or s.remaining_parents > 0
         or t.completed_at is not null
         or not w.is_latest)
  union all
  -- What an operator completed or closed did not have to wait.
  select 'step_starts_after_its_wait',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'state', s.state,
                            'wait_uuid', w.wait_uuid, 'wait_state', w.state)
  from steps s
  left join waits w on w.workflow_step_uuid = s.workflow_step_uuid and w.is_latest
  where s.state not in ('pending', 'cancelled', 'error', 'resolved_manually')
    and s.last_actor is distinct from 'operator'
    and (w.state is null or w.state not in ('satisfied', 'defaulted'))
    -- A child with nothing to undo is not waited for: find_child_violations.
    and not (w.state is null and s.wait_for ? 'undo')
  union all
  select 'wait_does_not_end_early',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'kind', w.kind, 'state', w.state,
                            'due_at', w.due_at, 'ended_at', w.ended_at)
  from waits w
  where (w.ended_at < w.armed_at)
    or ((w.state in ('timed_out', 'defaulted')
         or (w.kind in ('timer', 'child_retry') and w.state = 'satisfied'))
        and (w.due_at is null or w.ended_at < w.due_at))
  union all
  select 'signal_is_consumed_once',
         jsonb_build_object('task_uuid', g.task_uuid, 'number', g.number, 'name', g.name,
                            'wait_uuid', g.wait_uuid, 'waited_for', w.signal_name, 'state', w.state)
  from signals g
  left join waits w on w.wait_uuid = g.wait_uuid and w.task_uuid = g.task_uuid
  where g.wait_uuid is not null
    and (w.signal_name is distinct from g.name
         or w.state is distinct from 'satisfied'
         or g.sent_at > w.due_at
         or g.consumed_at is distinct from w.ended_at)
  union all
  select 'signal_is_consumed_once',
         jsonb_build_object('task_uuid', w.task_uuid, 'wait_uuid', w.wait_uuid,
                            'signals', count(g.signal_uuid))
  from waits w
  left join signals g on g.wait_uuid = w.wait_uuid
  where w.kind = 'signal'
  group by w.task_uuid, w.wait_uuid, w.state
  having count(g.signal_uuid) <> (w.state = 'satisfied')::int
  union all
  select 'signals_are_numbered_without_gaps',
         jsonb_build_object('task_uuid', g.task_uuid, 'signals', count(*), 'last', max(g.number))
  from signals g
  group by g.task_uuid
  having max(g.number) <> count(*)
  union all
  select 'signal_belongs_to_a_task',
         jsonb_build_object('task_uuid', g.task_uuid, 'number', g.number)
  from signals g
  left join tasker.tasks t on t.task_uuid = g.task_uuid
  where t.task_uuid is null
  union all
  select 'delayed_task_has_not_started',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'start_at', t.start_at)
  from tasks t
  where t.is_delayed and t.state not in ('pending', 'cancelled', 'error', 'resolved_manually')
  union all
  -- No wait that can end is forgotten: its task is evaluated by then.
  select 'wait_is_due_no_later_than_its_wakeup',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'task_uuid', w.task_uuid, 'due_at', w.due_at,
                            'wake_at', u.wake_at)
  from waits w
  join tasks t on t.task_uuid = w.task_uuid
  join tasker.task_wakeups u on u.task_uuid = w.task_uuid
  where w.state = 'open'
    and w.due_at is not null
    and t.cancel_requested_at is null
    and (t.failed_steps = 0 or t.continue_on_error)
    and t.named_task_uuid not in (select p.named_task_uuid from tasker.template_pauses p)
    and t.task_uuid not in (select f.task_uuid from tasker.task_faults f)
    and u.wake_at > greatest(w.due_at, clock_timestamp())
$$;
comment on function tasker.find_wait_violations(timestamptz) is
  'Waits and signals that do not match their steps and tasks: one row per finding.';
