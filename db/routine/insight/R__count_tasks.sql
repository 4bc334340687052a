-- How many tasks match a filter, as {count, more, counted_since, by_state: {state: n, …}}: counts
-- at most p_most, and more says that there are more. p_filter: see find_tasks.
-- Where no index finds the tasks of the filter, only the newest p_read tasks are looked at;
-- counted_since is then the time of the oldest of them, and null when all tasks were looked at.
-- Reads only. A filter of tasks is never shown without that of the caller's namespaces: a count
-- reveals what it counts.
create or replace function tasker.count_tasks(
  p_filter jsonb default '{}', p_most int default 10000, p_read int default 100000)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
as $$
declare
  v_since   uuid;
  v_tasks   uuid[];
  v_unknown text;
begin
  if not p_filter ?| array['correlation_id', 'parent_correlation_id', 'attributes']
     and exists (select from unnest('{complete,error,cancelled,resolved_manually}'::text[]) e(state)
                 where (p_filter ->> 'state' is null
                        or e.state = any (string_to_array(p_filter ->> 'state', ',')))
                   and not e.state
                     = any (coalesce(string_to_array(p_filter ->> 'state_not', ','), '{}'))) then
    select t.task_uuid into v_since
    from tasker.tasks t
    order by t.task_uuid desc offset p_read - 1 limit 1;
  end if;
  select f.r_tasks, f.r_unknown_attribute into v_tasks, v_unknown
  from tasker.find_tasks(p_filter, p_most + 1, null, v_since) f;
  if v_unknown is not null then
    return tasker.refuse_search_attribute(v_unknown);
  end if;
  return jsonb_build_object(
    'count', least(cardinality(v_tasks), p_most), 'more', cardinality(v_tasks) > p_most,
    'counted_since', (select t.created_at from tasker.tasks t where t.task_uuid = v_since),
    'by_state', (select coalesce(jsonb_object_agg(s.state, s.tasks), '{}')
                 from (select t.state, count(*) as tasks
                       from unnest(v_tasks[1:p_most]) u(task_uuid)
                       join tasker.tasks t using (task_uuid)
                       group by t.state) s));
end
$$;
comment on function tasker.count_tasks(jsonb, int, int) is
  'How many tasks match a filter, by state, up to a bound.';
