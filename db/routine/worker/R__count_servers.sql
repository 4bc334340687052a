-- How many servers are alive by their heartbeat.
create or replace function tasker.count_servers(p_now timestamptz default null)
returns int
language sql stable
set search_path = ''
as $$
  select count(*)::int from tasker.servers s
  where s.lease_expires_at > coalesce(p_now, clock_timestamp()) and s.state <> 'stopped'
$$;
comment on function tasker.count_servers(timestamptz) is
  'How many servers are alive by their heartbeat.';
