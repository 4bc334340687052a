-- The servers as the REST interface shows them, best first, with how long offers of each namespace wait:
-- {servers: [..], handoffs: [..], next: null, for there is one page}. Source: attune.md E2, E3. Locks: none.
create or replace function tasker.get_server_documents(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object('next', null,
    'servers', (select coalesce(jsonb_agg(to_jsonb(s) order by s.rank, s.registered_at), '[]') from tasker.get_servers(p_now) s),
    'handoffs', (select coalesce(jsonb_agg(to_jsonb(l) order by l.namespace), '[]') from tasker.get_handoff_latency(p_now => p_now) l))
$$;
comment on function tasker.get_server_documents(timestamptz) is
  'The servers as the REST interface shows them, best first, with how long offers of each namespace wait.';
