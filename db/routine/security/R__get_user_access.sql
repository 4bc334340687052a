-- A user with its password hash and what it may do: {uuid, name, password_hash, enabled, grants};
-- null when there is none of that name, compared without case. Source: ADR 0018.
create or replace function tasker.get_user_access(p_name text)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('uuid', u.user_uuid, 'name', u.name, 'password_hash', u.password_hash,
                              'enabled', u.disabled_at is null,
                              'grants', tasker.expand_grants(u.user_uuid, null))
    from tasker.access_users u
    where lower(u.name) = lower(p_name));
end
$$;
comment on function tasker.get_user_access(text) is
  'A user with its password hash and what it may do; null when there is none of that name.';
