-- Ends a session by the SHA-256 (in hex) of its token: true; false when there is none, or it ended
-- before. Locks: the session.
-- Source: ADR 0040.
create or replace function tasker.end_session(p_token_hash text)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  delete from tasker.access_sessions s where s.token_hash = decode(p_token_hash, 'hex');
  return found;
end
$$;
comment on function tasker.end_session(text) is
  'Ends a session by the SHA-256 of its token; false when there is none.';
