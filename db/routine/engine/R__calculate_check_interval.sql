-- How long a task may wait for its next check when no event is expected, in case a message was
-- lost: 30 seconds, and two milliseconds more for each task with steps in process, up to an hour. A
-- check costs about 0.2 ms, so that all checks together take a tenth of a processor with up to 1.8
-- million tasks; more while their number grows, since the first ones wait for the shorter time.
-- The number of tasks is that of the last roll-up of the analytics. Locks: none. Source: ADR 0004.
create or replace function tasker.calculate_check_interval()
returns interval
language sql stable
as $$
  select least(interval '30 seconds'
                 + greatest(coalesce((select a.tasks
                                      from tasker.task_state_tallies a
                                      where a.state = 'steps_in_process'),
                                     0),
                            0) * interval '2 milliseconds',
               interval '1 hour')
$$;
comment on function tasker.calculate_check_interval() is
  'How long a task may wait for its next check when no event is expected.';
