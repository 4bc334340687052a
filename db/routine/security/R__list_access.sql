-- Users, keys and roles as the REST interface shows them, without any hash: {users: […], keys: […],
-- roles: […]}.
create or replace function tasker.list_access()
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'users', (select coalesce(jsonb_agg(
                                jsonb_build_object(
                                  'user_uuid', u.user_uuid, 'name', u.name,
                                  'enabled', u.disabled_at is null,
                                  'has_password', u.password_hash is not null,
                                  'password_changed_at', u.password_changed_at,
                                  'created_at', u.created_at, 'created_by', u.created_by,
                                  'grants', (
                                    select coalesce(jsonb_agg(to_jsonb(g) - 'user_uuid'
                                                              - 'key_uuid' order by g.grant_uuid),
                                                    '[]')
                                    from tasker.access_grants g
                                    where g.user_uuid = u.user_uuid)) order by lower(u.name)),
                              '[]')
              from tasker.access_users u),
    'keys', (select coalesce(jsonb_agg(jsonb_build_object(
                                         'key_uuid', k.key_uuid, 'name', k.name, 'hint', k.hint,
                                         'created_at', k.created_at, 'created_by', k.created_by,
                                         'expires_at', k.expires_at, 'last_used_at', k.last_used_at,
                                         'revoked_at', k.revoked_at, 'revoked_by', k.revoked_by,
                                         'grants', (
                                           select coalesce(jsonb_agg(to_jsonb(
                                                                       g) - 'user_uuid' - 'key_uuid'
                                                                     order by g.grant_uuid),
                                                           '[]')
                                           from tasker.access_grants g
                                           where g.key_uuid = k.key_uuid)) order by k.key_uuid),
                             '[]')
             from tasker.access_keys k),
    'roles', (select coalesce(jsonb_agg(jsonb_build_object(
                                          'role', r.role, 'description', r.description,
                                          'permissions', (
                                            select coalesce(jsonb_agg(
                                                              p.permission order by p.permission),
                                                            '[]')
                                            from tasker.access_role_permissions p
                                            where p.role = r.role)) order by r.role),
                              '[]')
              from tasker.access_roles r));
end
$$;
comment on function tasker.list_access() is
  'Users, keys and roles as the REST interface shows them, without any hash.';
