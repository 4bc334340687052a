-- Records a request for a change before the change is made. Returns the uuid with which
-- finish_write_request records the response.
-- Source: ADR 0018.
create or replace function tasker.begin_write_request(
  p_caller text, p_caller_kind text, p_method text, p_route text, p_path text, p_remote text,
  p_server_uuid uuid)
returns uuid
language sql
as $$
  insert into tasker.write_requests (caller, caller_kind, method, route, path, remote, server_uuid)
  values (p_caller, p_caller_kind, p_method, left(p_route, 200), left(p_path, 1000), p_remote,
          p_server_uuid)
  returning request_uuid
$$;
comment on function tasker.begin_write_request(text, text, text, text, text, text, uuid) is
  'Records a request for a change before the change is made.';
