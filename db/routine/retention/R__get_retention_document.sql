-- How retention stands: {policies, templates (those with a rule, with the rule that applies),
-- purged_tasks, last_purged_at, oldest_task_at, history: {oldest_month, last_month, months_ahead,
-- default_in_use}, dropped: the last twelve, tables: other tables whose old rows are deleted}.
-- Cheap however many tasks there are. Reads only.
create or replace function tasker.get_retention_document(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'policies', (select coalesce(
                                 jsonb_agg(
                                   jsonb_build_object(
                                     'namespace', p.namespace_name, 'name', p.template_name,
                                     'state', p.state, 'keep_days', p.keep_days, 'set_by', p.set_by,
                                     'claimed_actor', p.claimed_actor, 'reason', p.reason,
                                     'set_at', p.set_at) order by p.namespace_name nulls first,
                                   p.template_name nulls first, p.state nulls first),
                                 '[]')
                        from tasker.retention_policies p),
           'templates', (
             select coalesce(jsonb_agg(g.document order by g.document ->> 'namespace',
                                       g.document ->> 'name', g.document ->> 'version'),
                             '[]')
             from (select jsonb_build_object('namespace', ns.name, 'name', nt.name,
                                             'version', nt.version,
                                             'keep_days', jsonb_object_agg(r.state, r.keep_days),
                                             'decided_by', jsonb_object_agg(r.state, r.decided_by),
                                             'purged_tasks', coalesce(g.purged_tasks, 0),
                                             'last_purged_at', g.last_purged_at) as document
                   from tasker.get_retention_rules() r
                   join tasker.named_tasks nt on nt.named_task_uuid = r.named_task_uuid
                   join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
                   left join tasker.retention_progress g on g.named_task_uuid = r.named_task_uuid
                   group by ns.name, nt.name, nt.version, g.purged_tasks, g.last_purged_at
                   having bool_or(r.decided_by <> 'none')) g),
           'purged_tasks', (select coalesce(sum(g.purged_tasks), 0)
                            from tasker.retention_progress g),
           'last_purged_at', (select max(g.last_purged_at) from tasker.retention_progress g),
           'oldest_task_at', (select t.created_at from tasker.tasks t order by t.task_uuid limit 1),
           'history', (select jsonb_build_object(
                                'oldest_month', to_char(min(m.month), 'YYYY-MM'),
                                'last_month', to_char(max(m.month), 'YYYY-MM'),
                                'months_ahead', count(
                                  *) filter (where m.month > coalesce(p_now, clock_timestamp())),
                                'default_in_use', exists (
                                    select from tasker.task_moves_default)
                                  or exists (select from tasker.step_moves_default))
                       from tasker.get_history_months() m),
           'dropped', (
             select coalesce(jsonb_agg(jsonb_build_object(
                                         'month', to_char(d.month, 'YYYY-MM'), 'outcome', d.outcome,
                                         'kept_tasks', d.kept_tasks,
                                         'done_at', d.done_at) order by d.month desc),
                             '[]')
             from (select x.* from tasker.dropped_history x order by x.month desc limit 12) d),
           'tables', (select coalesce(jsonb_agg(jsonb_build_object(
                                                  'table', x.table_name, 'keep_days', x.keep_days,
                                                  'oldest_at', x.oldest_at) order by x.table_name),
                                      '[]')
                      from tasker.get_expiring_tables() x))
$$;
comment on function tasker.get_retention_document(timestamptz) is
  'The state of retention: policies, what was purged, and the oldest rows that are kept.';
