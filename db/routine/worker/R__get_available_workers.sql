-- The workers that can claim steps of a namespace: alive by their heartbeat, healthy or degraded,
-- and serving it. Qualifies every name and has no SET clause, so that it can be inlined.
create or replace function tasker.get_available_workers(p_namespace text, p_now timestamptz)
returns setof tasker.workers
language sql stable parallel safe
as $$
  select w.* from tasker.workers w
  where w.lease_expires_at > p_now and w.state in ('healthy', 'degraded')
    and (w.namespaces is null or p_namespace = any (w.namespaces))
$$;
comment on function tasker.get_available_workers(text, timestamptz) is
  'The workers that can claim steps of a namespace.';
