-- Records the response status of a request for a change; once.
create or replace function tasker.finish_write_request(p_request_uuid uuid, p_status int)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update tasker.write_requests w set status = p_status, answered_at = clock_timestamp()
  where w.request_uuid = p_request_uuid and w.status is null;
  return found;
end
$$;
comment on function tasker.finish_write_request(uuid, int) is
  'Records the response status of a request for a change; once.';
