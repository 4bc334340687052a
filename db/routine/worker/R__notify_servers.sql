-- Notifies every listening server of new work: one notification per kind, "kind sender" as its
-- payload. Call it in a separate transaction: a commit with a NOTIFY waits for every other such
-- commit.
create or replace function tasker.notify_servers(p_server_uuid uuid, p_kinds text[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_kind text;
begin
  foreach v_kind in array p_kinds loop
    perform pg_catalog.pg_notify(
      'tasker_wakeup', v_kind || ' ' || coalesce(p_server_uuid::text, ''));
  end loop;
end
$$;
comment on function tasker.notify_servers(uuid, text[]) is
  'Notifies every listening server of new work.';
