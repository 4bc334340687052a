-- Before all migrations: if the schema pgmq belongs to another role, as it does when an
-- administrator has created the extension, creates and drops a probe queue. Without the privileges
-- for that, a migration would fail later with only "permission denied for schema pgmq".
do $may$
declare
  v_owner text;
  v_cause text;
begin
  select pg_catalog.pg_get_userbyid(n.nspowner) into v_owner
  from pg_catalog.pg_namespace n
  where n.nspname = 'pgmq';
  -- An empty schema is one that an administrator has made for the functions of Tasker EE.
  if v_owner is null or v_owner = current_user
     or not exists (select
                    from pg_catalog.pg_proc p
                    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
                    where n.nspname = 'pgmq' and p.proname = 'create') then
    return;
  end if;
  begin
    execute 'select pgmq.create(''tasker_probe'')';
    execute 'select pgmq.drop_queue(''tasker_probe'')';
  exception when insufficient_privilege then
    get stacked diagnostics v_cause = message_text;
    raise exception 'role % cannot make queues in the schema pgmq, which belongs to %: %',
      current_user, v_owner, v_cause
      using errcode = '42501',
        hint = format(
          'As %2$s: grant usage, create on schema pgmq to %1$I; grant select, insert, update, '
          'delete on all tables in schema pgmq to %1$I; grant usage on all sequences in schema '
          'pgmq to %1$I. If pgmq then still asks for the owner of the extension, drop the '
          'extension while it has no queues: Tasker EE creates it with a role that may, and '
          'installs functions of its own otherwise.',
          current_user, v_owner);
  end;
end
$may$;
