-- How long a task that nothing is known to happen to may rest until it is looked at, in case a
-- message was lost: 30 seconds, and two milliseconds more for each task with steps in process, up
-- to an hour. A look costs about 0.2 ms: so all looks together take a tenth of a processor with up
-- to 1.8 million tasks; more while their number grows, since those that came first rest for the
-- shorter time.
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
  'How long a task that nothing is known to happen to may rest until it is looked at.';
