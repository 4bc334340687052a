-- A caller as the functions for approvals judge it: {name, persons, roles, assigns_in, decides_in}.
-- roles has '/role' for a role that is granted in all namespaces, and 'namespace/role'.
-- p_by: the caller as histories name it: ann, key:intake, external:bob. p_rights: {key_uuid?,
-- groups?, assigns_in?, decides_in?}: which of several API keys of the name; the roles of a caller
-- who is not in the database; the namespaces in which it has approvals:assign and approvals:decide,
-- ["*"] for all. Without assigns_in it has the one nowhere, without decides_in the other
-- everywhere, as in psql. Locks: none. Source: ADR 0044.
create or replace function tasker.resolve_approver(p_by text, p_rights jsonb default '{}')
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
           'name', lower(p_by), 'persons', to_jsonb(tasker.get_persons(p_by)),
           'roles', coalesce(
             (select jsonb_agg(distinct coalesce(g.namespace, '') || '/' || g.role)
              from tasker.access_grants g
              where g.role is not null
                and (g.user_uuid in (select u.user_uuid
                                     from tasker.access_users u
                                     where lower(u.name) = lower(p_by) and u.disabled_at is null)
                     or g.key_uuid in (select k.key_uuid
                                       from tasker.access_keys k
                                       where 'key:' || k.name = p_by
                                         and k.revoked_at is null
                                         and k.key_uuid = coalesce(
                                           (p_rights ->> 'key_uuid')::uuid, k.key_uuid)))),
             '[]') || coalesce((select jsonb_agg('/' || r)
                                from jsonb_array_elements_text(p_rights -> 'groups') r),
                               '[]'),
           'assigns_in', coalesce(p_rights -> 'assigns_in', '[]'),
           'decides_in', coalesce(p_rights -> 'decides_in', '["*"]'))
$$;
comment on function tasker.resolve_approver(text, jsonb) is
  'A caller as the functions for approvals judge it: its persons, roles and namespaces.';
