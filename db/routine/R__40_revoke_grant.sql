-- Takes a grant back. Returns done, not_found or last_administrator. Locks: as set_user_enabled. Called by Accounts.
create or replace function tasker.revoke_grant(p_grant_uuid uuid)
returns text
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tasker.administrators', 0));
  if tasker.count_administrators() > 0 and tasker.count_administrators(p_grant_uuid) = 0 then
    return 'last_administrator';
  end if;
  delete from tasker.access_grants g where g.grant_uuid = p_grant_uuid;
  return case when found then 'done' else 'not_found' end;
end
$$;
comment on function tasker.revoke_grant(uuid) is 'Takes a grant back.';
