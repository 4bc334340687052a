-- A page of tasks as {tasks: [...], next}: next is null on the last page, otherwise the p_cursor of
-- the next one.
-- p_filter: see find_tasks. Newest first, or oldest first with order "oldest".
-- For a search attribute that no template of the filter declares: {outcome: refused, code:
-- invalid-request, field: attributes, message}. Reads only. Source: ADR 0029.
create or replace function tasker.list_tasks(
  p_filter jsonb default '{}', p_limit int default 25, p_cursor uuid default null)
returns json
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_page    uuid[];
  v_unknown text;
begin
  select f.r_tasks, f.r_unknown_attribute into v_page, v_unknown
  from tasker.find_tasks(p_filter, p_limit + 1, p_cursor) f;
  if v_unknown is not null then
    return tasker.refuse_search_attribute(v_unknown);
  end if;
  return json_build_object(
    'tasks', tasker.get_task_summaries(coalesce(v_page[1:p_limit], '{}')),
    'next', case when cardinality(v_page) > p_limit then v_page[p_limit] end);
end
$$;
comment on function tasker.list_tasks(jsonb, int, uuid) is
  'A page of tasks, newest or oldest first.';
