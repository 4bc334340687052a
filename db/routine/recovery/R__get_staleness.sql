-- Tasks that are stale or will become so, the stalest first: {tasks, next}. p_after: next of the
-- page before, which is the time at which its last task is stale, in microseconds since 1970, and
-- that task. Names are those of the REST interface. Reads all unfinished tasks: for operators, not
-- for a dashboard that polls every second.
create or replace function tasker.get_staleness(p_limit int default 50, p_after text default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with page as (
    select s.*, row_number() over (order by s.stale_at, s.task_uuid) as row_no
    from tasker.v_task_staleness_monitoring s
    where p_after is null
      or (s.stale_at, s.task_uuid)
        > ('epoch'::timestamptz + split_part(p_after, '-', 1)::bigint * interval '1 microsecond',
           substr(p_after, strpos(p_after, '-') + 1)::uuid)
    order by row_no limit p_limit + 1)
  select jsonb_build_object(
           'tasks', coalesce(
             jsonb_agg(to_jsonb(p) - '{namespace_name,task_name,current_state,row_no}'::text[] ||
                       jsonb_build_object('namespace', p.namespace_name, 'name', p.task_name,
                                          'state', p.current_state) order by p.row_no)
               filter (where p.row_no <= p_limit),
             '[]'),
           'next', case
             when count(*) > p_limit then
               (array_agg((extract(epoch from p.stale_at) * 1000000)::bigint || '-'
                          || p.task_uuid order by p.row_no) filter (where p.row_no = p_limit))[
                 1] end)
  from page p
$$;
comment on function tasker.get_staleness(int, text) is
  'Tasks that are stale or will become so, the stalest first.';
