-- A page of the requests for changes over REST, newest first, by key: {requests, next}. p_filter:
-- {caller?, route?, object?}: an object is part of the path, or of that of what was made, such as
-- the id of a task; or the name of a user, key, schedule or webhook. object_name of a request is
-- that of the one whose id its object or its path has; null for others, and when it is gone.
-- Errors: TK007 for a filter of more than 1000 characters, which no path has.
create or replace function tasker.list_write_requests(
  p_filter jsonb default '{}', p_limit int default 50, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
as $$
declare
  v_object   text := lower(p_filter ->> 'object');
  v_requests jsonb;
  v_named    text[];
begin
  if length(p_filter ->> 'object') > 1000 then
    raise exception 'object must have at most 1000 characters' using errcode = 'TK007';
  end if;
  v_named := array(
    select u.user_uuid::text from tasker.access_users u where lower(u.name) = v_object
    union all
    select k.key_uuid::text from tasker.access_keys k where lower(k.name) = v_object
    union all
    select s.schedule_uuid::text from tasker.schedules s where lower(s.name) = v_object
    union all
    select h.webhook_uuid::text from tasker.webhooks h where lower(h.name) = v_object);
  select coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('object_name', n.name)
                            order by p.request_uuid desc),
                  '[]')
    into v_requests
  from (select w.* from tasker.write_requests w
        where (p_before is null or w.request_uuid < p_before)
          and (p_filter ->> 'caller' is null or w.caller = p_filter ->> 'caller')
          and (p_filter ->> 'route' is null or w.route = p_filter ->> 'route')
          and (v_object is null
            or pg_catalog.strpos(lower(w.path), v_object) > 0
            or pg_catalog.strpos(lower(w.object), v_object) > 0
            or exists (select from unnest(v_named) i(id)
                       where pg_catalog.strpos(coalesce(w.object, w.path), i.id) > 0))
        order by w.request_uuid desc limit p_limit + 1) p
  -- The ids are in lower case, as in the rows that they name.
  left join lateral (
    select regexp_match(coalesce(p.object, p.path),
                        '/v1/(?:access/)?(users|keys|schedules|webhooks)/'
                        '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:/|$)') as id) m on true
  left join lateral (
    select u.name from tasker.access_users u
    where m.id[1] = 'users' and u.user_uuid = m.id[2]::uuid
    union all
    select k.name from tasker.access_keys k
    where m.id[1] = 'keys' and k.key_uuid = m.id[2]::uuid
    union all
    select s.name from tasker.schedules s
    where m.id[1] = 'schedules' and s.schedule_uuid = m.id[2]::uuid
    union all
    select h.name from tasker.webhooks h
    where m.id[1] = 'webhooks' and h.webhook_uuid = m.id[2]::uuid) n on true;
  return jsonb_build_object(
    'next', case when jsonb_array_length(v_requests) > p_limit then
                   v_requests -> (p_limit - 1) -> 'request_uuid' end,
    'requests', case when jsonb_array_length(v_requests) > p_limit then v_requests - p_limit
                     else v_requests end);
end
$$;
comment on function tasker.list_write_requests(jsonb, int, uuid) is
  'A page of the requests for changes over REST, newest first.';
