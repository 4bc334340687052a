-- What is paused, since when, by whom and why: a JSON array with one entry per namespace, or per
-- name and version of a template that has its own pause.
create or replace function tasker.get_pauses()
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'namespace', p.namespace, 'name', p.name, 'version', p.version,
                              'paused_at', p.paused_at, 'paused_by', p.paused_by,
                              'claimed_actor', p.claimed_actor,
                              'reason', p.reason) order by p.namespace,
                            p.name nulls first, p.version),
                  '[]')
  from (select ns.name as namespace, null as name, null as version, ns.paused_at, ns.paused_by,
               ns.pause_claimed_actor as claimed_actor, ns.pause_reason as reason
        from tasker.task_namespaces ns
        where ns.paused_at is not null
        union all
        select ns.name, nt.name, nt.version, t.paused_at, t.paused_by, t.claimed_actor, t.reason
        from tasker.template_pauses t
        join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
        where not t.is_namespace) p
$$;
comment on function tasker.get_pauses() is 'What is paused, since when, by whom and why.';
