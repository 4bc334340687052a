-- The version of the schema, how many servers are alive, how many steps no live worker serves, how
-- many schedules fail, how late the latest is, and whether the database refuses writes:
-- {schema_version, servers, unserved_steps, failing_schedules, schedules_overdue_seconds,
-- read_only}, the version null where no Flyway has been. A standby is read-only, and so is a
-- session of a primary that was told so (default_transaction_read_only); of servers only the
-- primary knows.
create or replace function tasker.get_installation_status(p_now timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_version text;
  v_servers int := 0;
  v_unserved bigint := 0;
  v_schedules jsonb := '{"failing": 0, "overdue_seconds": 0}';
begin
  -- Guard: the schema may have been created manually, without Flyway.
  if to_regclass('tasker.flyway_schema_history') is not null then
    execute 'select h.version from tasker.flyway_schema_history h
             where h.version is not null and h.success order by h.installed_rank desc limit 1'
      into v_version;
  end if;
  -- Guard: of servers only the primary knows.
  if not pg_is_in_recovery() then
    v_servers := tasker.count_servers(p_now);
    select coalesce(sum(u.steps), 0) into v_unserved from tasker.get_unserved_steps() u;
    v_schedules := tasker.get_schedule_figures(p_now);
  end if;
  return jsonb_build_object(
    'schema_version', v_version, 'servers', v_servers, 'unserved_steps', v_unserved,
    'failing_schedules', v_schedules -> 'failing',
    'schedules_overdue_seconds', v_schedules -> 'overdue_seconds',
    'read_only', current_setting('transaction_read_only')::boolean);
end
$$;
comment on function tasker.get_installation_status(timestamptz) is
  'The state of the installation: version of the schema, live servers, unserved steps, '
  'schedules, and whether the database refuses writes.';
