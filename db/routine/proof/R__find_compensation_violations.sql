-- Compensations that are not what their tasks have done, in reverse: one row per finding. Without
-- nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0046, docs/reference/invariants.md.
create or replace function tasker.find_compensation_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with recursive compensations as materialized (
    select c.*, t.task_uuid is not null as is_there, t.compensation, t.completed_at,
           t.state as task_state, coalesce(t.compensates_task_uuid, t.task_uuid) as source_uuid
    from tasker.task_compensations c
    left join tasker.tasks t on t.task_uuid = c.task_uuid
    where coalesce(t.created_at, 'infinity') >= coalesce(p_since, '-infinity')),
  undos as materialized (
    select u.workflow_step_uuid, u.task_uuid, u.state, u.compensates_step_uuid, u.name,
           u.batch_step_uuid, d.workflow_step_uuid as done_uuid, d.state as done_state,
           d.batch_step_uuid as done_batch, ub.workflow_step_uuid is not null as is_batch,
           tasker.is_undoable(d.state, d.attempts, n.undoes_attempts) as is_undoable, n.step_type,
           n.step_position, dn.step_position as done_position, nt.total_steps
    from compensations c
    join tasker.workflow_steps u on u.task_uuid = c.task_uuid
      and u.compensates_step_uuid is not null
    left join tasker.workflow_steps d on d.workflow_step_uuid = u.compensates_step_uuid
      and d.task_uuid = c.source_uuid
    left join tasker.named_tasks_named_steps n on n.named_step_uuid = u.named_step_uuid
    left join tasker.named_tasks_named_steps dn on dn.named_step_uuid = d.named_step_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    left join tasker.batches ub on ub.workflow_step_uuid = u.workflow_step_uuid),
  counts as (
    select u.task_uuid, count(*) filter (where u.batch_step_uuid is null) as steps,
           bool_and(u.state = 'complete') as all_complete
    from undos u
    group by u.task_uuid),
  undone_steps as materialized (
    select s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, s.step_position
    from (select distinct c.source_uuid from compensations c) t
    join tasker.workflow_steps s on s.task_uuid = t.source_uuid),
  edges as materialized (
    select p.workflow_step_uuid as from_step_uuid, c.workflow_step_uuid as to_step_uuid
    from undone_steps c
    join tasker.named_step_edges e on e.to_named_step_uuid = c.named_step_uuid
      and e.to_position = c.step_position
    join undone_steps p on p.task_uuid = c.task_uuid and p.step_position = e.from_position
    union all
    select p.workflow_step_uuid, c.workflow_step_uuid
    from undone_steps c
    join tasker.added_step_edges e on e.task_uuid = c.task_uuid and e.to_position = c.step_position
    join undone_steps p on p.task_uuid = c.task_uuid and p.step_position = e.from_position),
  -- What was done next after each compensated step, on any path: what was done after that follows
  -- from its own undo. All pairs would be the square of a long task.
  later(step_uuid, later_uuid) as (
    select u.compensates_step_uuid, e.to_step_uuid
    from undos u
    join edges e on e.from_step_uuid = u.compensates_step_uuid
    union
    select l.step_uuid, e.to_step_uuid
    from later l
    join edges e on e.from_step_uuid = l.later_uuid
    where l.later_uuid not in (select u.compensates_step_uuid from undos u)),
  -- One that the engine completes itself, because it undoes a child task or a batch, is not handed
  -- off: it ends no earlier than it might have started.
  starts as (
    select h.workflow_step_uuid,
           coalesce(min(h.created_at) filter (where h.to_state = 'enqueued'),
                    min(h.created_at)) as started_at
    from undos u
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = u.workflow_step_uuid
      and (h.to_state = 'enqueued'
           or h.to_state = 'complete' and h.actor = 'orchestrator' and h.from_state = 'pending')
    group by h.workflow_step_uuid),
  ends as (
    select h.workflow_step_uuid, max(h.created_at) as ended_at
    from undos u
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = u.workflow_step_uuid
      and h.to_state in ('complete', 'resolved_manually')
    group by h.workflow_step_uuid)
  select 'compensation_belongs_to_its_task',
         jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state, 'cause', c.cause,
                            'of_the_task', c.compensation)
  from compensations c
  where not c.is_there
    or (c.state <> 'asked' and c.compensation is distinct from c.cause)
    or (c.state = 'asked' and c.compensation is not null)
    or (c.state = 'running' and c.completed_at is not null)
    or (c.state in ('compensated', 'incomplete') and c.completed_at is null)
    or (c.task_state = 'complete' and c.cause <> 'parent')
    or c.began_at < c.asked_at
    or c.ended_at < c.began_at
    or c.ended_at > c.completed_at
    -- The end of the task gives it back.
    or (c.cause = 'cancel' and c.state = 'running' and c.cancel_request ->> 'policy' is null)
  union all
  select 'compensation_belongs_to_its_task',
         jsonb_build_object('task_uuid', t.task_uuid, 'compensation', t.compensation)
  from tasker.tasks t
  left join tasker.task_compensations c on c.task_uuid = t.task_uuid
  where t.compensation is not null and c.task_uuid is null
  union all
  select 'undo_has_its_done_step',
         jsonb_build_object('step_uuid', u.workflow_step_uuid, 'task_uuid', u.task_uuid,
                            'compensates', u.compensates_step_uuid, 'done_state', u.done_state)
  from undos u
  where (u.is_undoable is not true and not u.is_batch)
    or u.step_type is distinct from 'compensation'
    or u.step_position is distinct from u.total_steps + u.done_position
  union all
  select 'undo_has_its_done_step',
         jsonb_build_object('task_uuid', u.task_uuid, 'compensates', u.compensates_step_uuid,
                            'times', count(*))
  from undos u
  group by u.task_uuid, u.compensates_step_uuid
  having count(*) > 1
  union all
  -- What an operator resolved is not undone. The undo of a batch stands for those of its workers,
  -- of which the batch knows how many there must be.
  select 'done_step_is_compensated',
         jsonb_build_object('task_uuid', c.task_uuid, 'step_uuid', s.workflow_step_uuid,
                            'state', s.state)
  from compensations c
  join tasker.workflow_steps s on s.task_uuid = c.source_uuid
    and s.compensates_step_uuid is null
    and s.batch_step_uuid is null
  join tasker.tasks t on t.task_uuid = c.task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks_named_steps k on k.named_task_uuid = nt.named_task_uuid
    and k.step_position = nt.total_steps + n.step_position
    and k.step_type = 'compensation'
  left join undos u on u.compensates_step_uuid = s.workflow_step_uuid
  left join tasker.batches ub on ub.workflow_step_uuid = u.workflow_step_uuid
  left join (select w.batch_step_uuid, nw.named_task_uuid, nw.step_position, count(*) as workers
             from compensations k
             join tasker.workflow_steps w on w.task_uuid = k.source_uuid
               and w.batch_step_uuid is not null
               and w.compensates_step_uuid is null
             join tasker.named_tasks_named_steps nw on nw.named_step_uuid = w.named_step_uuid
             join tasker.named_tasks kt on kt.named_task_uuid = nw.named_task_uuid
             join tasker.named_tasks_named_steps uw on uw.named_task_uuid = nw.named_task_uuid
               and uw.step_position = kt.total_steps + nw.step_position
               and uw.step_type = 'compensation'
             where tasker.is_undoable(w.state, w.attempts, uw.undoes_attempts)
             group by 1, 2, 3) bw on bw.batch_step_uuid = s.workflow_step_uuid
  where c.began_at is not null
    and case n.step_type
      when 'batch_worker' then coalesce(bw.workers, 0) <> coalesce(ub.total_workers, 0)
      else tasker.is_undoable(s.state, s.attempts, k.undoes_attempts)
        and u.workflow_step_uuid is null end
  union all
  select 'compensation_is_in_reverse_order',
         jsonb_build_object('step_uuid', earlier.workflow_step_uuid, 'started_at', b.started_at,
                            'after', later.workflow_step_uuid, 'ended_at', e.ended_at)
  from later l
  join undos earlier on earlier.compensates_step_uuid = l.step_uuid
  join undos later on later.compensates_step_uuid = l.later_uuid
  join starts b on b.workflow_step_uuid = earlier.workflow_step_uuid
  left join ends e on e.workflow_step_uuid = later.workflow_step_uuid
  where e.ended_at is null or e.ended_at > b.started_at
  union all
  -- The workers of a batch start when what was done after the batch is undone.
  select 'compensation_is_in_reverse_order',
         jsonb_build_object('step_uuid', w.workflow_step_uuid, 'started_at', b.started_at,
                            'after', later.workflow_step_uuid, 'ended_at', e.ended_at)
  from later l
  join undos earlier on earlier.compensates_step_uuid = l.step_uuid and earlier.is_batch
  join undos w on w.batch_step_uuid = earlier.workflow_step_uuid
  join undos later on later.compensates_step_uuid = l.later_uuid
  join starts b on b.workflow_step_uuid = w.workflow_step_uuid
  left join ends e on e.workflow_step_uuid = later.workflow_step_uuid
  where e.ended_at is null or e.ended_at > b.started_at
  union all
  select 'undo_has_its_done_step',
         jsonb_build_object('step_uuid', w.workflow_step_uuid, 'task_uuid', w.task_uuid,
                            'compensates', w.compensates_step_uuid, 'of_batch', w.done_batch)
  from undos w
  join undos b on b.workflow_step_uuid = w.batch_step_uuid
  where w.done_batch is distinct from b.compensates_step_uuid
  union all
  select 'compensated_means_each_is_complete',
         jsonb_build_object('task_uuid', c.task_uuid, 'state', c.state, 'planned', c.planned_steps,
                            'steps', coalesce(k.steps, 0), 'all_complete', k.all_complete)
  from compensations c
  left join counts k on k.task_uuid = c.task_uuid
  where coalesce(c.planned_steps, 0) <> coalesce(k.steps, 0)
    or (c.state = 'compensated' and not coalesce(k.all_complete, true))
    or (c.state = 'incomplete' and coalesce(k.all_complete, true))
  union all
  -- None is left running, offered or waiting under a compensation.
  select 'nothing_runs_beside_a_compensation',
         jsonb_build_object('task_uuid', c.task_uuid, 'step_uuid', s.workflow_step_uuid,
                            'state', s.state)
  from compensations c
  join tasker.workflow_steps s on s.task_uuid = c.task_uuid and s.compensates_step_uuid is null
  where c.began_at is not null
    and s.state not in ('complete', 'error', 'cancelled', 'resolved_manually')
$$;
comment on function tasker.find_compensation_violations(timestamptz) is
  'Compensations that are not what their tasks have done, in reverse: one row per finding.';
