-- Revokes a grant. Returns {outcome, user_uuid, key_uuid, name}: done, with the user or key that
-- had it; or refused with the code grant-not-found or last-administrator; nothing is changed then.
-- Locks: as refuse_last_administrator.
create or replace function tasker.revoke_grant(p_grant_uuid uuid)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_refusal jsonb := tasker.refuse_last_administrator(p_grant_uuid);
  v_grant   tasker.access_grants;
begin
  if v_refusal is not null then
    return v_refusal;
  end if;
  delete from tasker.access_grants g where g.grant_uuid = p_grant_uuid returning g.* into v_grant;
  if v_grant.grant_uuid is null then
    return tasker.refuse_unknown('grant', p_grant_uuid::text);
  end if;
  return jsonb_build_object(
    'outcome', 'done', 'user_uuid', v_grant.user_uuid, 'key_uuid', v_grant.key_uuid,
    'name', coalesce((select u.name from tasker.access_users u
                      where u.user_uuid = v_grant.user_uuid),
                     (select k.name from tasker.access_keys k
                      where k.key_uuid = v_grant.key_uuid)));
end
$$;
comment on function tasker.revoke_grant(uuid) is 'Revokes a grant.';
