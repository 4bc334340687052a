-- How many could still manage users without one user, key or grant: enabled users who have a
-- password or come from an external identity store, and valid keys, with security:manage in all
-- namespaces.
create or replace function tasker.count_administrators(p_without uuid default null)
returns int
language sql stable
as $$
  select count(distinct coalesce(g.user_uuid, g.key_uuid))::int
  from tasker.access_grants g
  left join tasker.access_role_permissions r on r.role = g.role
  left join tasker.access_users u on u.user_uuid = g.user_uuid
    and u.disabled_at is null
    and u.password_hash is not null
  left join tasker.access_keys k on k.key_uuid = g.key_uuid
    and k.revoked_at is null
    and k.expires_at is null
  where g.namespace is null
    and coalesce(g.permission, r.permission) in ('*:*', 'security:*', 'security:manage')
    and (u.user_uuid is not null or k.key_uuid is not null)
    and coalesce(g.user_uuid, g.key_uuid) is distinct from p_without
    and g.grant_uuid is distinct from p_without
$$;
comment on function tasker.count_administrators(uuid) is
  'How many users and keys could still manage users without one user, key or grant.';
