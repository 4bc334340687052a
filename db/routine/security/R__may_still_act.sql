-- Whether the user or key of a principal, as user:… or key:… with its uuid, has a permission now,
-- in a namespace, or with null in all. True for every other caller: what a token or the server's
-- own user may do is known during a request only, and SQL callers have the rights of their login.
-- Reads only. Source: ADR 0018, ADR 0058.
create or replace function tasker.may_still_act(
  p_principal text, p_permission text, p_namespace text)
returns boolean
language sql stable
set search_path = ''
as $$
  select p_principal is null
         or p_principal !~ '^(user|key):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
         or (case split_part(p_principal, ':', 1)
               when 'user' then exists (select from tasker.access_users u
                                        where u.user_uuid = p.uuid and u.disabled_at is null)
               else exists (select from tasker.access_keys k
                            where k.key_uuid = p.uuid
                              and k.revoked_at is null
                              and (k.expires_at is null or k.expires_at > clock_timestamp())) end
             and exists (
               select from jsonb_to_recordset(
                 tasker.expand_grants(
                   case split_part(p_principal, ':', 1) when 'user' then p.uuid end,
                   case split_part(p_principal, ':', 1)
                     when 'key' then p.uuid end)) g(permission text, namespace text)
               where g.permission in (p_permission, '*:*', split_part(p_permission, ':', 1) || ':*')
                 and (g.namespace is null or g.namespace = p_namespace)))
  from (select case when p_principal ~ '^(user|key):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
                      split_part(p_principal, ':', 2)::uuid end as uuid) p
$$;
comment on function tasker.may_still_act(text, text, text) is
  'Whether the user or key of a principal has a permission now; true for every other caller.';
