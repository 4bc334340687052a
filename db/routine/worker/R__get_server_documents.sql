-- The servers as the REST interface shows them, best first, with the time that offers of each
-- namespace wait: {servers: [..], workers: [..], unserved: [..], handoffs: [..], next: null, since
-- there is one page}. workers: those of the servers, and external workers (get_workers). unserved:
-- the steps whose handler no worker serves (get_unserved_steps). Locks: none.
create or replace function tasker.get_server_documents(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'next', null,
           'servers', (select coalesce(jsonb_agg(to_jsonb(s) order by s.rank, s.registered_at),
                                       '[]')
                       from tasker.get_servers(p_now) s),
           'workers', (select coalesce(jsonb_agg(to_jsonb(w) order by w.rank, w.registered_at),
                                       '[]')
                       from tasker.get_workers(p_now) w),
           'unserved', (select coalesce(jsonb_agg(to_jsonb(u) order by u.namespace, u.handler),
                                        '[]')
                        from tasker.get_unserved_steps() u),
           'handoffs', (select coalesce(jsonb_agg(to_jsonb(l) order by l.namespace), '[]')
                        from tasker.get_handoff_latency(p_now => p_now) l))
$$;
comment on function tasker.get_server_documents(timestamptz) is
  'The servers and workers as the REST interface shows them, best first, with the steps that no '
  'worker serves and how long offers wait.';
