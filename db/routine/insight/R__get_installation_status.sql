-- The version of the schema, how many servers are alive, and whether the database refuses writes: {schema_version, servers,
-- read_only}, the version null where no Flyway has been. A standby is read-only, and so is a session of a primary that was
-- told so (default_transaction_read_only); of servers only the primary knows.
create or replace function tasker.get_installation_status(p_now timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_version text;
  v_servers int := 0;
begin
  -- Guard: the schema may have been made by hand, file after file.
  if to_regclass('tasker.flyway_schema_history') is not null then
    execute 'select h.version from tasker.flyway_schema_history h
             where h.version is not null and h.success order by h.installed_rank desc limit 1' into v_version;
  end if;
  -- Guard: servers register in an unlogged table, which cannot be read on a standby, not even be planned.
  if not pg_is_in_recovery() then
    v_servers := tasker.count_servers(p_now);
  end if;
  return jsonb_build_object('schema_version', v_version, 'servers', v_servers,
    'read_only', current_setting('transaction_read_only')::boolean);
end
$$;
comment on function tasker.get_installation_status(timestamptz) is
  'The version of the schema, how many servers are alive, and whether the database refuses writes.';
