-- A page of the requests for changes over REST, newest first, by key: {requests, next}. p_filter:
-- {caller?, route?, object?}: an object is part of the path, or of that of what was made, such as
-- the id of a task.
-- Errors: TK007 for a filter of more than 1000 characters, which no path has.
create or replace function tasker.list_write_requests(
  p_filter jsonb default '{}', p_limit int default 50, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
as $$
declare
  v_requests jsonb;
begin
  if length(p_filter ->> 'object') > 1000 then
    raise exception 'object must have at most 1000 characters' using errcode = 'TK007';
  end if;
  select coalesce(jsonb_agg(to_jsonb(p) order by p.request_uuid desc), '[]') into v_requests
  from (select w.* from tasker.write_requests w
        where (p_before is null or w.request_uuid < p_before)
          and (p_filter ->> 'caller' is null or w.caller = p_filter ->> 'caller')
          and (p_filter ->> 'route' is null or w.route = p_filter ->> 'route')
          and (p_filter ->> 'object' is null
            or pg_catalog.strpos(lower(w.path), lower(p_filter ->> 'object')) > 0
            or pg_catalog.strpos(lower(w.object), lower(p_filter ->> 'object')) > 0)
        order by w.request_uuid desc limit p_limit + 1) p;
  return jsonb_build_object(
    'next', case when jsonb_array_length(v_requests) > p_limit then
                   v_requests -> (p_limit - 1) -> 'request_uuid' end,
    'requests', case when jsonb_array_length(v_requests) > p_limit then v_requests - p_limit
                     else v_requests end);
end
$$;
comment on function tasker.list_write_requests(jsonb, int, uuid) is
  'A page of what was asked to be changed over REST, newest first.';
