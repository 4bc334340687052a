-- Times that differ from their move in the history, are missing, or lie in the future: one row per
-- finding. Rows and history read the clock at different moments, before and after waits for locks:
-- a difference of ten minutes is no finding. Without nested loops: where statistics are missing or
-- old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_time_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with task_moves as (
    select h.task_uuid, min(h.created_at) filter (where h.sort_key = 1) as created_at,
           max(h.created_at) as last_at
    from tasker.task_transitions h
    group by h.task_uuid),
  step_moves as (
    select h.workflow_step_uuid, min(h.created_at) filter (where h.sort_key = 1) as created_at,
           max(h.created_at) as last_at,
           max(h.created_at) filter (where h.to_state = 'enqueued') as enqueued_at,
           max(h.created_at) filter (where h.to_state = 'in_progress') as claimed_at
    from tasker.workflow_step_transitions h
    group by h.workflow_step_uuid),
  pairs as (
    select jsonb_build_object('task_uuid', t.task_uuid) as id, v.*
    from tasker.tasks t
    join task_moves m on m.task_uuid = t.task_uuid
    cross join lateral (values ('created_at', t.created_at, m.created_at),
                               ('completed_at', t.completed_at, m.last_at)) as v(name, kept, moved)
    where t.created_at >= coalesce(p_since, '-infinity')
      and (v.kept not between v.moved - interval '10 minutes' and v.moved + interval '10 minutes'
           or not isfinite(v.kept))
    union all
    select jsonb_build_object('step_uuid', s.workflow_step_uuid), v.*
    from tasker.workflow_steps s
    join step_moves m on m.workflow_step_uuid = s.workflow_step_uuid
    cross join lateral (values ('created_at', s.created_at, m.created_at),
                               ('completed_at', s.completed_at, m.last_at),
                               ('enqueued_at', s.enqueued_at, m.enqueued_at),
                               ('last_attempted_at', s.last_attempted_at,
                                m.claimed_at)) as v(name, kept, moved)
    where s.created_at >= coalesce(p_since, '-infinity')
      and (v.kept not between v.moved - interval '10 minutes' and v.moved + interval '10 minutes'
           or not isfinite(v.kept))
    union all
    select jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key),
           'recorded_at', r.recorded_at, h.created_at
    from tasker.workflow_step_result_audit r
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = r.workflow_step_uuid
      and h.sort_key = r.sort_key
    where s.created_at >= coalesce(p_since, '-infinity')
      and (r.recorded_at not between h.created_at - interval '10 minutes' and h.created_at
             + interval '10 minutes'
           or not isfinite(r.recorded_at))
    union all
    select jsonb_build_object('task_uuid', t.task_uuid), 'cancel_requested_at',
           t.cancel_requested_at, a.acted_at
    from tasker.tasks t
    join (select a.task_uuid, min(a.acted_at) as acted_at
          from tasker.operator_actions a
          where a.action = 'cancel'
          group by a.task_uuid) a on a.task_uuid = t.task_uuid
    where t.created_at >= coalesce(p_since, '-infinity')
      and t.cancel_requested_at not between a.acted_at - interval '10 minutes' and a.acted_at
        + interval '10 minutes')
  select 'time_is_that_of_its_move',
         p.id || jsonb_build_object('column', p.name, 'kept', p.kept, 'moved_at', p.moved)
  from pairs p
  union all
  -- The history also decides whether a time must be set.
  select 'step_has_the_times_of_its_start',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoffs', s.handoffs,
                            'enqueued_at', s.enqueued_at, 'last_attempted_at', s.last_attempted_at)
  from tasker.workflow_steps s
  join step_moves m on m.workflow_step_uuid = s.workflow_step_uuid
  where s.created_at >= coalesce(p_since, '-infinity')
    and ((s.enqueued_at is null) <> (m.enqueued_at is null)
         or (s.last_attempted_at is null) <> (m.claimed_at is null))
  union all
  select 'nothing_is_dated_in_the_future', f.example
  from (select jsonb_build_object('task_uuid', h.task_uuid, 'sort_key', h.sort_key,
                                  'at', h.created_at) as example,
               h.created_at as at
        from tasker.task_transitions h
        union all
        select jsonb_build_object('step_uuid', h.workflow_step_uuid, 'sort_key', h.sort_key,
                                  'at', h.created_at),
               h.created_at
        from tasker.workflow_step_transitions h
        union all
        select jsonb_build_object('dlq_entry_uuid', d.dlq_entry_uuid,
                                  'at', greatest(d.dlq_timestamp, d.resolution_timestamp)),
               greatest(d.dlq_timestamp, d.resolution_timestamp)
        from tasker.tasks_dlq d
        union all
        select jsonb_build_object('action_uuid', a.action_uuid, 'at', a.acted_at), a.acted_at
        from tasker.operator_actions a) f
  where f.at > clock_timestamp() + interval '1 minute'
$$;
comment on function tasker.find_time_violations(timestamptz) is
  'Times that differ from their move in the history, are missing, or lie in the future: one row '
  'per finding.';
