-- Records the response status of a request for a change, and what the request made or changed where
-- its path does not say it; once.
create or replace function tasker.finish_write_request(
  p_request_uuid uuid, p_status int, p_object text default null)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update tasker.write_requests w
  set status = p_status, answered_at = clock_timestamp(), object = left(p_object, 1000)
  where w.request_uuid = p_request_uuid and w.status is null;
  return found;
end
$$;
comment on function tasker.finish_write_request(uuid, int, text) is
  'Records the response status of a request for a change and what it made; once.';
