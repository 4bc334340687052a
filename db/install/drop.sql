-- Drops what db/install/prepare.sql found to be gone or changed, with what depends on it. After the
-- functions that only got a new body, so that no table is locked while these are installed.
-- Locks: the tables of triggers and guards that go, exclusively.
do $drop$
declare
  v_drop jsonb;
begin
  perform set_config('client_min_messages', 'warning', true);
  for v_drop in select d.value from jsonb_array_elements(current_setting('tasker.drops')::jsonb) d
  loop
    execute format('drop %s if exists %s cascade', v_drop ->> 0, v_drop ->> 1);
  end loop;
end
$drop$;
