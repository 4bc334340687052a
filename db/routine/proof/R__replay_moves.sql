-- Replays the history of each task and step as moves of the models: each must begin where the one
-- before ended, carry the next number, be one that the models have for its actor, and have the
-- handoff and the attempt that result from it. One row for each kind of move in the history: how
-- many there are, how many of them the models do not know, and up to five of those.
-- Reads the views of the history and nothing else, in one snapshot, so that it runs on a standby
-- and on a restored dump. The history of purged tasks counts too, as far as it begins with the
-- first
-- move: a dropped month may have taken the beginning.
-- p_since: only histories that began from then on (null: all).
-- Locks: none. Source: ADR 0075, docs/model.md.
create or replace function tasker.replay_moves(p_since timestamptz default null)
returns table (
  kind text, from_state text, to_state text, actor text, moves bigint, unknown bigint,
  examples jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  -- The states as they are stored: a text for each move would double the time.
  with task_relation as materialized (
    select m.from_state::tasker.task_state, m.to_state::tasker.task_state, m.actor::tasker.actor
    from tasker.get_model_moves() m where m.kind = 'task'),
  step_relation as materialized (
    select m.from_state::tasker.step_state, m.to_state::tasker.step_state, m.actor::tasker.actor,
           m.handoff, m.attempt
    from tasker.get_model_moves() m where m.kind = 'step'),
  task_moves as (
    select h.task_uuid, h.sort_key, h.from_state, h.to_state, h.actor,
           lag(h.to_state) over w as state_before, lag(h.sort_key) over w as key_before,
           first_value(h.created_at) over w as began_at, first_value(h.sort_key) over w as first_key
    from tasker.task_transitions h
    window w as (partition by h.task_uuid order by h.sort_key)),
  step_moves as (
    select h.workflow_step_uuid, h.task_uuid, h.sort_key, h.from_state, h.to_state, h.actor,
           h.handoff, h.attempt, lag(h.to_state) over w as state_before,
           lag(h.sort_key) over w as key_before, lag(h.handoff) over w as handoff_before,
           lag(h.attempt) over w as attempt_before, lag(h.from_state) over w as from_before,
           lag(h.actor) over w as actor_before,
           first_value(h.created_at) over w as began_at, first_value(h.sort_key) over w as first_key
    from tasker.workflow_step_transitions h
    window w as (partition by h.workflow_step_uuid order by h.sort_key)),
  judged as (
    select 'task' as kind, h.task_uuid as uuid, h.sort_key, h.from_state::text, h.to_state::text,
           h.actor::text,
           case
             when m.to_state is null then 'the models have no such move'
             when h.from_state is distinct from h.state_before then
               format('begins in %s, the one before ended in %s', h.from_state, h.state_before)
             when h.sort_key <> coalesce(h.key_before, 0) + 1 then
               format('is number %s after number %s', h.sort_key, coalesce(h.key_before, 0))
           end as complaint
    from task_moves h
    left join task_relation m
      on m.to_state = h.to_state and m.actor = h.actor
         and coalesce(m.from_state::text, '') = coalesce(h.from_state::text, '')
    where h.began_at >= coalesce(p_since, '-infinity')
      and (h.first_key = 1 or h.task_uuid in (select t.task_uuid from tasker.tasks t))
    union all
    select 'step', h.workflow_step_uuid, h.sort_key, h.from_state::text, h.to_state::text,
           h.actor::text,
           case
             when m.to_state is null then 'the models have no such move'
             when h.from_state is distinct from h.state_before then
               format('begins in %s, the one before ended in %s', h.from_state, h.state_before)
             when h.sort_key <> coalesce(h.key_before, 0) + 1 then
               format('is number %s after number %s', h.sort_key, coalesce(h.key_before, 0))
             when h.handoff <> coalesce(h.handoff_before, 0) + m.handoff then
               format('has handoff %s after %s', h.handoff, coalesce(h.handoff_before, 0))
             -- It does not count what the move before gave back, and still carries what it gives
             -- back itself.
             when h.attempt <> coalesce(h.attempt_before, 0)
                               + least(coalesce(b.attempt, 0), 0) + greatest(m.attempt, 0) then
               format('has attempt %s after %s', h.attempt, coalesce(h.attempt_before, 0))
           end
    from step_moves h
    left join step_relation m
      on m.to_state = h.to_state and m.actor = h.actor
         and coalesce(m.from_state::text, '') = coalesce(h.from_state::text, '')
    left join step_relation b
      on b.attempt < 0 and b.from_state = h.from_before and b.to_state = h.state_before
         and b.actor = h.actor_before
    where h.began_at >= coalesce(p_since, '-infinity')
      and (h.first_key = 1 or h.task_uuid in (select t.task_uuid from tasker.tasks t)))
  select j.kind, j.from_state, j.to_state, j.actor, count(*), count(j.complaint),
         coalesce(to_jsonb((array_agg(jsonb_build_object(
                      j.kind || '_uuid', j.uuid, 'sort_key', j.sort_key, 'complaint', j.complaint))
                    filter (where j.complaint is not null))[1:5]), '[]')
  from judged j
  group by j.kind, j.from_state, j.to_state, j.actor
  order by j.kind desc, count(j.complaint) desc, count(*) desc,
           j.from_state nulls first, j.to_state, j.actor
$$;
comment on function tasker.replay_moves(timestamptz) is
  'Replays the history of each task and step as moves of the models: how many there are of each '
  'kind, and how many of them the models do not know.';
