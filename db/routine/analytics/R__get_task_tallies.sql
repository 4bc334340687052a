-- Creations and ends of tasks since p_since, to the last move that the caller sees: whole minutes
-- that are counted already, the beginning of the first minute, and what is not counted yet.
-- Reads only; costs what happened in one minute and since the last roll-up, and a row per minute
-- and template.
create or replace function tasker.get_task_tallies(p_since timestamptz)
returns setof tasker.task_tallies
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_next_xact bigint;
  v_minute    timestamptz := date_trunc('minute', p_since + interval '1 minute - 1 microsecond');
begin
  select a.next_xact into strict v_next_xact from tasker.analytics_progress a;
  return query select y.* from tasker.task_tallies y where y.minute >= v_minute;
  return query
  select y.minute, y.named_task_uuid, y.state, y.tasks, y.steps, y.failed_steps, y.seconds,
         y.least_seconds, y.most_seconds, y.last_at
  from (select a.*
        from tasker.tally_tasks(0, v_next_xact, p_since, v_minute) a
        union all
        select b.* from tasker.tally_tasks(v_next_xact, null, p_since) b) y;
end
$$;
comment on function tasker.get_task_tallies(timestamptz) is
  'Creations and ends of tasks since a given time, up to the last committed move.';
