-- Revokes a grant. Returns {outcome}: done, or refused with the code grant-not-found or
-- last-administrator; nothing is changed then.
-- Locks: as refuse_last_administrator.
create or replace function tasker.revoke_grant(p_grant_uuid uuid)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_refusal jsonb := tasker.refuse_last_administrator(p_grant_uuid);
begin
  if v_refusal is not null then
    return v_refusal;
  end if;
  delete from tasker.access_grants g where g.grant_uuid = p_grant_uuid;
  return case when found then jsonb_build_object('outcome', 'done')
              else tasker.refuse_unknown('grant', p_grant_uuid::text) end;
end
$$;
comment on function tasker.revoke_grant(uuid) is 'Revokes a grant.';
