-- metric_totals for a monitoring system: {bounds, totals: [{metric, namespace, template, label,
-- bucket, events, seconds}]}. The first p_templates templates that were seen have figures of their
-- own; those of all others are added up under the namespace and template "other".
-- Locks: none.
create or replace function tasker.get_metric_totals(p_templates int)
returns jsonb
language sql stable
set search_path = ''
as $$
  with own as (
    select m.namespace, m.template
    from tasker.metric_templates m
    order by m.rank
    limit p_templates),
  totals as (
    select a.metric, coalesce(o.namespace, 'other') as namespace,
           coalesce(o.template, 'other') as template, a.label, a.bucket, sum(a.events) as events,
           sum(a.seconds) as seconds
    from tasker.metric_totals a
    left join own o on o.namespace = a.namespace and o.template = a.template
    group by 1, 2, 3, 4, 5)
  select jsonb_build_object(
           'bounds', to_jsonb(tasker.get_metric_bounds()),
           'totals', (select coalesce(jsonb_agg(to_jsonb(t) order by t.metric, t.namespace,
                                                t.template, t.label, t.bucket),
                                      '[]')
                      from totals t))
$$;
comment on function tasker.get_metric_totals(int) is
  'Durations, waiting times and outcomes of each template since the installation, for '
  'GET /metrics.';
