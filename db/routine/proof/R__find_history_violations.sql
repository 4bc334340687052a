-- Tasks and steps whose history does not match their rows: one row per finding. Without nested
-- loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_history_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with task_moves as (
    select h.*, lag(h.to_state) over w as state_before, lag(h.created_at) over w as created_before
    from tasker.task_transitions h
    join tasker.tasks t on t.task_uuid = h.task_uuid
      and t.created_at >= coalesce(p_since, '-infinity')
    window w as (partition by h.task_uuid order by h.sort_key)),
  step_moves as (
    select h.*, lag(h.to_state) over w as state_before, lag(h.handoff) over w as handoff_before,
           lag(h.attempt) over w as attempt_before, lag(g.is_given_back) over w as was_given_back,
           g.is_given_back, lag(h.created_at) over w as created_before
    from tasker.workflow_step_transitions h
    join tasker.workflow_steps s on s.workflow_step_uuid = h.workflow_step_uuid
      and s.created_at >= coalesce(p_since, '-infinity')
    -- The moves after which the attempt does not count: it was not started, or it yielded.
    cross join lateral (select (h.to_state in ('pending', 'waiting_for_retry')
                                and h.from_state = 'in_progress'
                                and h.actor = 'worker')
                               or (h.to_state = 'cancelled'
                                   and h.from_state = 'enqueued') as is_given_back) g
    window w as (partition by h.workflow_step_uuid order by h.sort_key)),
  resets as materialized (
    select distinct on (m.workflow_step_uuid) m.workflow_step_uuid, m.sort_key, m.attempt
    from step_moves m
    where m.actor = 'operator' and m.to_state = 'pending'
    order by m.workflow_step_uuid, m.sort_key desc),
  task_counts as (
    select m.task_uuid, count(*) as moves, max(m.sort_key) as last_key
    from task_moves m
    group by m.task_uuid),
  step_counts as (
    select m.workflow_step_uuid, count(*) as moves, max(m.sort_key) as last_key,
           count(
             *) filter (where m.actor = 'operator'
                        and m.metadata ->> 'new_idempotency_token' = 'true') as new_tokens
    from step_moves m
    group by m.workflow_step_uuid)
  select 'task_state_is_the_end_of_its_history',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'history', h.to_state)
  from tasker.tasks t
  left join task_moves h on h.task_uuid = t.task_uuid and h.sort_key = t.transition_count
  where t.created_at >= coalesce(p_since, '-infinity') and h.to_state is distinct from t.state
  union all
  select 'step_state_is_the_end_of_its_history',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'state', s.state,
                            'history', h.to_state)
  from tasker.workflow_steps s
  left join step_moves h on h.workflow_step_uuid = s.workflow_step_uuid
    and h.sort_key = s.transition_count
  where s.created_at >= coalesce(p_since, '-infinity') and h.to_state is distinct from s.state
  union all
  select 'task_history_counts_without_gaps',
         jsonb_build_object('task_uuid', t.task_uuid, 'moves', c.moves, 'last', c.last_key,
                            'counter', t.transition_count)
  from tasker.tasks t
  join task_counts c on c.task_uuid = t.task_uuid
  where c.moves <> t.transition_count or c.last_key <> t.transition_count
  union all
  select 'step_history_counts_without_gaps',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'moves', c.moves, 'last', c.last_key,
                            'counter', s.transition_count)
  from tasker.workflow_steps s
  join step_counts c on c.workflow_step_uuid = s.workflow_step_uuid
  where c.moves <> s.transition_count or c.last_key <> s.transition_count
  union all
  -- Of the terminal states a task can leave only error, by an operator action.
  select 'task_ends_once',
         jsonb_build_object(
           'task_uuid', m.task_uuid,
           'ends', count(
             *) filter (where m.to_state in ('complete', 'cancelled', 'resolved_manually')),
           'moves_after_it', count(
             *) filter (where m.from_state in ('complete', 'cancelled', 'resolved_manually')))
  from task_moves m
  where m.to_state in ('complete', 'cancelled', 'resolved_manually')
    or m.from_state in ('complete', 'cancelled', 'resolved_manually')
  group by m.task_uuid
  having count(*) > 1
  union all
  select 'task_move_starts_where_the_last_one_ended',
         jsonb_build_object('task_uuid', m.task_uuid, 'sort_key', m.sort_key,
                            'from_state', m.from_state, 'was', m.state_before)
  from task_moves m
  where m.from_state is distinct from m.state_before
  union all
  select 'step_move_starts_where_the_last_one_ended',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'from_state', m.from_state, 'was', m.state_before)
  from step_moves m
  where m.from_state is distinct from m.state_before
  union all
  select 'task_move_is_allowed_to_its_actor',
         jsonb_build_object('task_uuid', m.task_uuid, 'sort_key', m.sort_key,
                            'from_state', m.from_state, 'to_state', m.to_state, 'actor', m.actor)
  from task_moves m
  where case
      when m.from_state is null then m.to_state <> 'pending' or m.actor <> 'orchestrator'
      else (m.from_state, m.to_state, m.actor)
             not in (select r.from_state, r.to_state, r.actor
                     from tasker.task_transition_rules r
                     where r.from_state is not null) end
  union all
  select 'step_move_is_allowed_to_its_actor',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'from_state', m.from_state, 'to_state', m.to_state, 'actor', m.actor)
  from step_moves m
  where case
      when m.from_state is null then m.to_state <> 'pending' or m.actor <> 'orchestrator'
      else (m.from_state, m.to_state, m.actor)
             not in (select r.from_state, r.to_state, r.actor
                     from tasker.workflow_step_transition_rules r
                     where r.from_state is not null) end
  union all
  -- The fence: a handoff assigns each number once, and every move until the next handoff carries
  -- it.
  select 'handoff_grows_by_handoffs_only',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'handoff', m.handoff, 'was', m.handoff_before)
  from step_moves m
  where m.handoff <> coalesce(m.handoff_before, 0) + (m.to_state = 'enqueued')::int
  union all
  select 'handoff_is_that_of_the_latest_move',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoffs', s.handoffs,
                            'history', h.handoff)
  from tasker.workflow_steps s
  join step_moves h on h.workflow_step_uuid = s.workflow_step_uuid
    and h.sort_key = s.transition_count
  where h.handoff <> s.handoffs
  union all
  -- The next attempt reuses the number of one that was released before it started.
  select 'attempt_follows_its_handoff',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'attempt', m.attempt, 'was', m.attempt_before,
                            'was_given_back', m.was_given_back)
  from step_moves m
  where m.attempt <> coalesce(m.attempt_before, 0) - coalesce(m.was_given_back, false)::int
      + (m.to_state = 'enqueued')::int
  union all
  select 'attempts_are_those_of_the_history',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'attempts', s.attempts,
                            'history', h.attempt, 'is_given_back', h.is_given_back)
  from tasker.workflow_steps s
  join step_moves h on h.workflow_step_uuid = s.workflow_step_uuid
    and h.sort_key = s.transition_count
  where s.attempts <> h.attempt - h.is_given_back::int
  union all
  select 'idempotency_token_changes_by_an_operator_only',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'resets', s.idempotency_resets,
                            'history', c.new_tokens)
  from tasker.workflow_steps s
  join step_counts c on c.workflow_step_uuid = s.workflow_step_uuid
  where coalesce(s.idempotency_resets, 0) <> c.new_tokens
  union all
  -- An operator's reset gives all attempts back: max_attempts counts from there.
  select 'attempts_count_from_the_latest_reset',
         jsonb_build_object('step_uuid', s.workflow_step_uuid,
                            'attempts_before_reset', s.attempts_before_reset,
                            'history', coalesce(r.attempt, 0))
  from tasker.workflow_steps s
  left join resets r on r.workflow_step_uuid = s.workflow_step_uuid
  where s.created_at >= coalesce(p_since, '-infinity')
    and s.attempts_before_reset <> coalesce(r.attempt, 0)
  union all
  -- Yields are numbered from the latest reset on; their last handoff stays.
  select 'yields_are_those_of_the_history',
         jsonb_build_object(
           'step_uuid', coalesce(d.workflow_step_uuid, y.workflow_step_uuid),
           'kept', jsonb_build_array(d.yields, d.stalled_yields, d.yielded_handoff),
           'counted', jsonb_build_array(y.yields, y.stalled_yields, y.yielded_handoff))
  from (select m.workflow_step_uuid, max(m.handoff) as yielded_handoff,
               count(*) filter (where m.sort_key > coalesce(r.sort_key, 0)) as yields,
               coalesce((array_agg((m.metadata ->> 'stalled_yields')::int order by m.sort_key desc)
                         filter (where m.sort_key > coalesce(r.sort_key, 0)))[1],
                        0) as stalled_yields
        from step_moves m
        left join resets r on r.workflow_step_uuid = m.workflow_step_uuid
        where m.to_state = 'waiting_for_retry'
          and m.from_state = 'in_progress'
          and m.metadata ->> 'reason' = 'yielded'
        group by m.workflow_step_uuid) y
  full join (select o.*
             from tasker.workflow_step_documents o
             where o.yielded_handoff is not null
               and (p_since is null
                    or o.workflow_step_uuid in (select s.workflow_step_uuid
                                                from tasker.workflow_steps s
                                                where s.created_at >= p_since))) d
    on d.workflow_step_uuid = y.workflow_step_uuid
  where (d.yields, d.stalled_yields,
         d.yielded_handoff) is distinct from (y.yields, y.stalled_yields, y.yielded_handoff)
  union all
  select 'step_history_goes_forward_in_time',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'at', m.created_at, 'before', m.created_before)
  from step_moves m
  where m.created_at < m.created_before
  union all
  select 'task_history_goes_forward_in_time',
         jsonb_build_object('task_uuid', m.task_uuid, 'sort_key', m.sort_key, 'at', m.created_at,
                            'before', m.created_before)
  from task_moves m
  where m.created_at < m.created_before
$$;
comment on function tasker.find_history_violations(timestamptz) is
  'Tasks and steps whose history does not match their rows: one row per finding.';
