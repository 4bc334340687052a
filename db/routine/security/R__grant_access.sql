-- Grants a role or a permission to a user or a key, in one namespace or, when that is null, in all
-- and for what belongs to none.
-- Returns {outcome, grant_uuid, name}: done, or already when the grant was there, with the name of
-- the user or key; refused with the code user-not-found or key-not-found when there is no such
-- user, or no such key that is not revoked.
-- Errors: TK007 unless the caller gives one of user and key and one of role and permission, and for
-- a role or permission that is not known.
create or replace function tasker.grant_access(
  p_user_uuid uuid, p_key_uuid uuid, p_role text, p_permission text, p_namespace text, p_by text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_grant uuid;
  v_new   boolean;
begin
  if num_nonnulls(p_role, p_permission) <> 1 then
    raise exception 'a grant is of a role or of a permission: the caller must give one of the two'
      using errcode = 'TK007';
  end if;
  if p_user_uuid is not null and p_key_uuid is not null then
    raise exception 'a grant is to a user or to a key: the caller must give one of the two'
      using errcode = 'TK007';
  end if;
  if p_role is not null
     and not exists (select from tasker.access_roles r where r.role = p_role) then
    raise exception 'there is no role %', p_role using errcode = 'TK007';
  end if;
  if p_permission is not null
     and not exists (select from tasker.access_permissions p where p.permission = p_permission) then
    raise exception 'there is no permission %', p_permission using errcode = 'TK007';
  end if;
  if p_key_uuid is not null
     and not exists (select from tasker.access_keys k
                     where k.key_uuid = p_key_uuid and k.revoked_at is null) then
    return tasker.refuse_unknown('key', p_key_uuid::text);
  end if;
  if p_key_uuid is null
     and not exists (select from tasker.access_users u where u.user_uuid = p_user_uuid) then
    return tasker.refuse_unknown('user', p_user_uuid::text);
  end if;
  insert into tasker.access_grants (user_uuid, key_uuid, role, permission, namespace, granted_by)
  values (p_user_uuid, p_key_uuid, p_role, p_permission, p_namespace, p_by)
  on conflict on constraint granted_once do nothing;
  v_new := found;
  select g.grant_uuid into v_grant
  from tasker.access_grants g
  where (g.user_uuid, g.key_uuid, g.role, g.permission, g.namespace)
      is not distinct from (p_user_uuid, p_key_uuid, p_role, p_permission, p_namespace);
  return jsonb_build_object(
    'outcome', case when v_new then 'done' else 'already' end, 'grant_uuid', v_grant,
    'name', coalesce((select u.name from tasker.access_users u where u.user_uuid = p_user_uuid),
                     (select k.name from tasker.access_keys k where k.key_uuid = p_key_uuid)));
end
$$;
comment on function tasker.grant_access(uuid, uuid, text, text, text, text) is
  'Grants a role or a permission to a user or a key, in one namespace or in all.';
