-- Child tasks that do not match the steps that wait for them, and outputs that do not match their
-- tasks: one row per finding. Without nested loops: where statistics are missing or old, one over
-- the whole history would never end.
-- Locks: none. Source: ADR 0043, docs/reference/invariants.md.
create or replace function tasker.find_child_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with tasks as (
    select t.* from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  waits as materialized (
    select w.*,
           row_number() over (partition by w.workflow_step_uuid order by (w.state = 'open') desc,
                              w.armed_at desc, w.wait_uuid desc) = 1 as is_latest,
           count(*) over (partition by w.workflow_step_uuid) as waits
    from tasker.step_waits w
    where w.kind = 'child'),
  notices as materialized (select i.* from tasker.task_notices i)
  select 'child_is_one_of_its_step',
         jsonb_build_object('task_uuid', t.task_uuid, 'parent_task_uuid', t.parent_task_uuid,
                            'parent_step_uuid', t.parent_step_uuid)
  from tasks t
  join tasker.tasks p on p.task_uuid = t.parent_task_uuid
  left join waits w on w.child_task_uuid = t.task_uuid
    and w.workflow_step_uuid = t.parent_step_uuid
    and w.task_uuid = t.parent_task_uuid
  where t.parent_step_uuid is not null and w.wait_uuid is null
  union all
  select 'child_is_one_of_its_step',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'step_uuid', w.workflow_step_uuid,
                            'child_task_uuid', w.child_task_uuid)
  from waits w
  left join tasker.tasks t on t.task_uuid = w.child_task_uuid
  where t.parent_step_uuid is distinct from w.workflow_step_uuid or w.attempt > w.waits
  union all
  -- A child that has ended, and whose parent has not taken that: it has left a notice, or the
  -- parent is due.
  select 'end_of_a_child_is_told',
         jsonb_build_object('wait_uuid', w.wait_uuid, 'child_task_uuid', c.task_uuid,
                            'state', c.state, 'parent_task_uuid', p.task_uuid)
  from waits w
  join tasks p on p.task_uuid = w.task_uuid
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
  left join tasker.task_wakeups u on u.task_uuid = p.task_uuid
  where w.state = 'open'
    and (c.completed_at is not null or c.state = 'blocked_by_failures')
    and not exists (select from notices i
                    where i.task_uuid = p.task_uuid and i.sender_uuid = c.task_uuid)
    -- One that may start nothing takes it when it goes on.
    and p.cancel_requested_at is null
    and (p.failed_steps = 0 or p.continue_on_error)
    and p.state <> 'blocked_by_failures'
    and p.named_task_uuid not in (select t.named_task_uuid from tasker.template_pauses t)
    and p.task_uuid not in (select f.task_uuid from tasker.task_faults f)
    and (u.wake_at is null or u.wake_at > clock_timestamp())
  union all
  -- A child that no step waits for has ended, or is told to.
  select 'ended_parent_leaves_no_child',
         jsonb_build_object('child_task_uuid', c.task_uuid, 'state', c.state,
                            'step_uuid', w.workflow_step_uuid, 'step_state', s.state)
  from waits w
  join tasks p on p.task_uuid = w.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = w.workflow_step_uuid
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
  where c.completed_at is null
    and c.cancel_requested_at is null
    and c.compensates_task_uuid is null
    and (p.completed_at is not null or s.state in ('complete', 'resolved_manually', 'cancelled'))
    and not exists (select from notices i where i.task_uuid = c.task_uuid and i.kind = 'cancel')
  union all
  select 'step_has_one_living_child',
         jsonb_build_object('step_uuid', w.workflow_step_uuid,
                            'children', count(distinct c.task_uuid))
  from waits w
  join tasks p on p.task_uuid = w.task_uuid
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
  where c.completed_at is null
    and c.cancel_requested_at is null
    and not exists (select from notices i where i.task_uuid = c.task_uuid and i.kind = 'cancel')
  group by w.workflow_step_uuid
  having count(distinct c.task_uuid) > 1
  union all
  select 'result_is_the_output_of_the_child',
         jsonb_build_object('step_uuid', w.workflow_step_uuid, 'child_task_uuid', w.child_task_uuid,
                            'child_state', c.state, 'outcome', r.outcome)
  from waits w
  join tasks p on p.task_uuid = w.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = w.workflow_step_uuid
    and s.state = 'complete'
  join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    and r.sort_key = s.result_sort_key
    and r.outcome = 'success'
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
  cross join lateral (select tasker.get_task_output(c.task_uuid) as document) o
  where w.is_latest
    and s.compensates_step_uuid is null
    and (w.state <> 'satisfied'
         or c.state not in ('complete', 'resolved_manually')
         or (r.result is distinct from o.document -> 'output'
             and coalesce(p.erased_at, c.erased_at) is null))
  union all
  -- What compensates an ended child is a child of the step that undoes the step which took it.
  select 'ended_child_is_compensated_by_its_parent',
         jsonb_build_object('task_uuid', x.task_uuid,
                            'compensates_task_uuid', x.compensates_task_uuid,
                            'step_uuid', x.parent_step_uuid)
  from tasks x
  join tasker.tasks p on p.task_uuid = x.parent_task_uuid
  left join tasker.workflow_steps u on u.workflow_step_uuid = x.parent_step_uuid
    and u.task_uuid = x.parent_task_uuid
  left join waits w on w.workflow_step_uuid = u.compensates_step_uuid
    and w.child_task_uuid = x.compensates_task_uuid
    and w.state = 'satisfied'
    and w.is_latest
  left join tasker.tasks c on c.task_uuid = x.compensates_task_uuid
    and c.named_task_uuid = x.named_task_uuid
    and c.state in ('complete', 'resolved_manually')
  where x.compensates_task_uuid is not null and (w.wait_uuid is null or c.task_uuid is null)
  union all
  select 'ended_child_is_compensated_by_its_parent',
         jsonb_build_object('step_uuid', u.workflow_step_uuid, 'child_task_uuid', w.child_task_uuid,
                            'compensation', x.state)
  from tasks p
  join tasker.workflow_steps u on u.task_uuid = p.task_uuid
    and u.compensates_step_uuid is not null
    and u.state = 'complete'
  join tasker.workflow_step_result_audit r on r.workflow_step_uuid = u.workflow_step_uuid
    and r.sort_key = u.result_sort_key
    and r.outcome = 'success'
  join tasker.named_tasks_named_steps n on n.named_step_uuid = u.named_step_uuid
    and n.wait_for ? 'undo'
  join waits w on w.workflow_step_uuid = u.compensates_step_uuid
    and w.state = 'satisfied'
    and w.is_latest
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
  left join tasker.tasks x on x.compensates_task_uuid = c.task_uuid
  where c.named_task_uuid in (select k.named_task_uuid
                              from tasker.named_tasks_named_steps k
                              where k.step_type = 'compensation')
    and (x.state is null or x.state not in ('complete', 'resolved_manually'))
  union all
  select 'output_belongs_to_an_ended_task',
         jsonb_build_object('task_uuid', coalesce(t.task_uuid, o.task_uuid), 'state', t.state,
                            'is_there', o.task_uuid is not null)
  from (select k.task_uuid, k.state from tasks k where k.has_output) t
  full join tasker.task_outputs o on o.task_uuid = t.task_uuid
  where (o.task_uuid is not null) is distinct from (t.state in ('complete', 'resolved_manually'))
    and (t.task_uuid is not null or p_since is null)
  union all
  select 'notice_belongs_to_a_task',
         jsonb_build_object('notice_uuid', i.notice_uuid, 'kind', i.kind, 'task_uuid', i.task_uuid)
  from notices i
  left join tasker.tasks t on t.task_uuid = i.task_uuid
  where t.task_uuid is null
  union all
  -- Of its child, or of its parent.
  select 'notice_belongs_to_a_task',
         jsonb_build_object('notice_uuid', i.notice_uuid, 'kind', i.kind, 'task_uuid', i.task_uuid,
                            'sender_uuid', i.sender_uuid)
  from notices i
  join tasker.tasks t on t.task_uuid = i.task_uuid
  join tasker.tasks s on s.task_uuid = i.sender_uuid
  where case i.kind when 'child_ended' then s.parent_task_uuid is distinct from t.task_uuid
             else t.parent_task_uuid is distinct from s.task_uuid end
$$;
comment on function tasker.find_child_violations(timestamptz) is
  'Child tasks that do not match the steps that wait for them, and outputs that do not match '
  'their tasks: one row per finding.';
