-- Executions of steps of the tasks that ended since p_since, to the last move that the caller sees;
-- made as get_task_tallies.
create or replace function tasker.get_step_tallies(p_since timestamptz)
returns setof tasker.step_tallies
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_next_xact bigint;
  v_minute    timestamptz := date_trunc('minute', p_since + interval '1 minute - 1 microsecond');
begin
  select a.next_xact into strict v_next_xact from tasker.analytics_progress a;
  return query select y.* from tasker.step_tallies y where y.minute >= v_minute;
  return query
  select y.minute, y.named_step_uuid, y.executions, y.errors, y.seconds, y.least_seconds,
         y.most_seconds, y.last_at
  from (select a.*
        from tasker.tally_steps(0, v_next_xact, p_since, v_minute) a
        union all
        select b.* from tasker.tally_steps(v_next_xact, null, p_since) b) y;
end
$$;
comment on function tasker.get_step_tallies(timestamptz) is
  'Executions of steps in tasks that ended since a given time, up to the last committed move.';
