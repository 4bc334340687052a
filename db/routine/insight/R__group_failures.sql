-- The steps that stand in error now, of tasks that became blocked or ended in error in the last
-- p_hours, in groups of template, step and error signature (see normalize_error), the largest
-- first: {failures: [{namespace, name, versions, step, error_type, signature, message, tasks,
-- blocked_tasks, first_at, last_at, counts, task_uuid}], next: null, counted_tasks, more,
-- counted_since}. message and task_uuid are those of the latest; counts has the steps that failed
-- in each 24th of the period, the earliest first.
-- p_filter: {namespace?, name?, version?, step?, namespaces?}; namespaces is an array of those
-- whose errors the caller may read. Reads the moves of the period by their summaries, and at most
-- p_tasks tasks, the latest; more says that there were more, and counted_since is the time of the
-- earliest that was looked at.
-- Reads only.
create or replace function tasker.group_failures(
  p_filter jsonb default '{}', p_hours int default 24, p_limit int default 50,
  p_tasks int default 5000)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_since     timestamptz := clock_timestamp() - make_interval(hours => p_hours);
  v_templates uuid[];
begin
  select array_agg(nt.named_task_uuid) into v_templates
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where (p_filter ->> 'namespace' is null or ns.name = p_filter ->> 'namespace')
    and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name)
    and (p_filter ->> 'name' is null or nt.name = p_filter ->> 'name')
    and (p_filter ->> 'version' is null or nt.version = p_filter ->> 'version');
  return (
    with failed as materialized (
      select t.task_uuid, t.state, t.named_task_uuid, h.created_at
      from tasker.task_moves h
      join tasker.tasks t on t.task_uuid = h.task_uuid and t.transition_count = h.sort_key
      where h.created_at >= v_since
        and h.to_state in ('blocked_by_failures', 'error')
        and t.named_task_uuid = any (v_templates)
      order by h.created_at desc
      limit p_tasks + 1),
    looked_at as materialized (select f.* from failed f order by f.created_at desc limit p_tasks),
    steps as (
      select ns.name as namespace, nt.name, nt.version, coalesce(s.name, n.name) as step,
             f.task_uuid, f.state, s.completed_at, a.error ->> 'type' as error_type,
             left(a.error ->> 'message', 1000) as message
      from looked_at f
      join tasker.workflow_steps s on s.task_uuid = f.task_uuid and s.state = 'error'
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = f.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      left join tasker.workflow_step_result_audit a on a.workflow_step_uuid = s.workflow_step_uuid
        and a.sort_key = s.result_sort_key
      where p_filter ->> 'step' is null or coalesce(s.name, n.name) = p_filter ->> 'step'),
    groups as (
      select s.namespace, s.name, s.step, s.error_type,
             tasker.normalize_error(s.message) as signature, count(distinct s.task_uuid) as tasks,
             count(distinct s.task_uuid) filter (
               where s.state = 'blocked_by_failures') as blocked_tasks,
             (select jsonb_agg(coalesce(c.steps, 0) order by b.bucket)
              from generate_series(1, 24) b(bucket)
              left join (select p.bucket, count(*) as steps
                         from unnest(array_agg(least(24,
                                                     greatest(
                                                       1,
                                                       1 + floor(
                                                         24 * extract(epoch from s.completed_at
                                                                      - v_since) / (
                                                           3600 * p_hours))::int)))) p(bucket)
                         group by p.bucket) c on c.bucket = b.bucket) as counts,
             min(s.completed_at) as first_at, max(s.completed_at) as last_at,
             array_agg(distinct s.version) as versions,
             (array_agg(s.message order by s.completed_at desc, s.task_uuid))[1] as message,
             (array_agg(s.task_uuid order by s.completed_at desc, s.task_uuid))[1] as task_uuid
      from steps s
      group by 1, 2, 3, 4, 5
      order by tasks desc, last_at desc, step
      limit p_limit)
    select jsonb_build_object(
             'failures', (select coalesce(jsonb_agg(to_jsonb(g) order by g.tasks desc,
                                                    g.last_at desc, g.step),
                                          '[]')
                          from groups g),
             'next', null, 'counted_tasks', (select count(*) from looked_at),
             'more', (select count(*) > p_tasks from failed),
             'counted_since', (select case when count(*) > p_tasks then
                                             (select min(l.created_at) from looked_at l)
                                           else v_since end
                               from failed)));
end
$$;
comment on function tasker.group_failures(jsonb, int, int, int) is
  'The failed steps, grouped by template, step and error signature.';
