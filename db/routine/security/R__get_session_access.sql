-- The user of a session by the SHA-256 (in hex) of its token, and what the user may do at present:
-- {uuid, name, expires_in_seconds, grants}; null when there is no such session, it has expired, the
-- user is disabled, or the password was changed after the session began. Source: ADR 0040.
create or replace function tasker.get_session_access(p_token_hash text)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select jsonb_build_object('uuid', u.user_uuid, 'name', u.name,
                                    'expires_in_seconds', ceil(
                                      extract(epoch from s.expires_at - clock_timestamp())),
                                    'grants', tasker.expand_grants(u.user_uuid, null))
          from tasker.access_sessions s
          join tasker.access_users u on u.user_uuid = s.user_uuid
          where s.token_hash = decode(p_token_hash, 'hex')
            and s.expires_at > clock_timestamp()
            and u.disabled_at is null
            and u.password_changed_at <= s.created_at);
end
$$;
comment on function tasker.get_session_access(text) is
  'The user of a valid session by the SHA-256 of its token, and what the user may do; null when '
  'there is none.';
