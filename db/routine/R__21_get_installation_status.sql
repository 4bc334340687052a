-- The version of the schema and how many servers are alive: {schema_version, servers}, the version null where no Flyway
-- has been. Called by the health checks.
create or replace function tasker.get_installation_status(p_now timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_version text;
begin
  -- Guard: the schema may have been made by hand, file after file.
  if to_regclass('tasker.flyway_schema_history') is not null then
    execute 'select h.version from tasker.flyway_schema_history h
             where h.version is not null and h.success order by h.installed_rank desc limit 1' into v_version;
  end if;
  return jsonb_build_object('schema_version', v_version, 'servers', tasker.count_servers(p_now));
end
$$;
comment on function tasker.get_installation_status(timestamptz) is
  'The version of the schema and how many servers are alive.';
