-- A new session of a user by the SHA-256 (in hex) of its token, and deletes the sessions of all
-- users that have expired.
-- Returns {outcome, session_uuid, expires_at}: done, or refused with the code user-not-found.
-- Errors: 23514 when p_valid_for is not positive. Locks: expired sessions, those that are locked
-- are skipped. Source: ADR 0040.
create or replace function tasker.create_session(
  p_user_uuid uuid, p_token_hash text, p_valid_for interval)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_session tasker.access_sessions;
begin
  if not exists (select from tasker.access_users u where u.user_uuid = p_user_uuid) then
    return tasker.refuse_unknown('user', p_user_uuid::text);
  end if;
  delete from tasker.access_sessions s
  where s.session_uuid in (select e.session_uuid
                           from tasker.access_sessions e
                           where e.expires_at <= v_now for update skip locked);
  insert into tasker.access_sessions (token_hash, user_uuid, created_at, expires_at)
  values (decode(p_token_hash, 'hex'), p_user_uuid, v_now, v_now + p_valid_for)
  returning * into v_session;
  return jsonb_build_object(
    'outcome', 'done', 'session_uuid', v_session.session_uuid, 'expires_at', v_session.expires_at);
end
$$;
comment on function tasker.create_session(uuid, text, interval) is
  'Creates a session of a user from the SHA-256 of its token; the token itself stays in the '
  'browser.';
