-- The permissions of a user or a key, with roles expanded: an array of {permission, namespace},
-- namespace null for all. Wildcards stay.
create or replace function tasker.expand_grants(p_user_uuid uuid, p_key_uuid uuid)
returns jsonb
language sql stable
as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object(
                              'permission', coalesce(g.permission, r.permission),
                              'namespace', g.namespace)),
                  '[]'::jsonb)
  from tasker.access_grants g
  left join tasker.access_role_permissions r on r.role = g.role
  where (g.user_uuid = p_user_uuid or g.key_uuid = p_key_uuid)
    and coalesce(g.permission, r.permission) is not null
$$;
comment on function tasker.expand_grants(uuid, uuid) is
  'The permissions of a user or a key, with roles expanded.';
