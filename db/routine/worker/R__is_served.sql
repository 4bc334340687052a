-- Whether a server that is alive takes steps of a namespace.
create or replace function tasker.is_served(p_namespace text, p_now timestamptz default null)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from tasker.servers v
    where v.lease_expires_at > coalesce(p_now, clock_timestamp()) and 'worker' = any (v.roles) and v.state in ('healthy', 'degraded')
      and (v.namespaces is null or p_namespace = any (v.namespaces)))
$$;
comment on function tasker.is_served(text, timestamptz) is 'Whether a server that is alive takes steps of a namespace.';
