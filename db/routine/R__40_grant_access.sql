-- Grants a role or a permission to a user or a key, in one namespace or, when that is null, in all and for what belongs to none.
-- Returns the grant's uuid, also when it was there already; null when there is no such user or key. Errors: TK007 for a role or
-- permission that is not known. Called by Accounts and create_user.
create or replace function tasker.grant_access(
  p_user_uuid uuid, p_key_uuid uuid, p_role text, p_permission text, p_namespace text, p_by text)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_grant uuid;
begin
  if p_role is not null and not exists (select from tasker.access_roles r where r.role = p_role) then
    raise exception 'there is no role %', p_role using errcode = 'TK007';
  end if;
  if p_permission is not null and not exists (select from tasker.access_permissions p where p.permission = p_permission) then
    raise exception 'there is no permission %', p_permission using errcode = 'TK007';
  end if;
  if not exists (select from tasker.access_users u where u.user_uuid = p_user_uuid)
     and not exists (select from tasker.access_keys k where k.key_uuid = p_key_uuid and k.revoked_at is null) then
    return null;
  end if;
  insert into tasker.access_grants (user_uuid, key_uuid, role, permission, namespace, granted_by)
  values (p_user_uuid, p_key_uuid, p_role, p_permission, p_namespace, p_by)
  on conflict on constraint granted_once do nothing;
  select g.grant_uuid into v_grant from tasker.access_grants g
  where (g.user_uuid, g.key_uuid, g.role, g.permission, g.namespace) is not distinct from (p_user_uuid, p_key_uuid, p_role, p_permission, p_namespace);
  return v_grant;
end
$$;
comment on function tasker.grant_access(uuid, uuid, text, text, text, text) is 'Grants a role or a permission to a user or a key, in one namespace or in all.';
