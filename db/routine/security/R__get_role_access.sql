-- What roles may do, for callers whose groups come from an external identity store or a token: an
-- array of {permission, namespace}, namespace null.
create or replace function tasker.get_role_access(p_roles text[])
returns jsonb
language sql stable
as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object(
                              'permission', r.permission, 'namespace', null)),
                  '[]'::jsonb)
  from tasker.access_role_permissions r
  where r.role = any (p_roles)
$$;
comment on function tasker.get_role_access(text[]) is
  'What roles may do, for callers whose groups come from an external identity store or a token.';
