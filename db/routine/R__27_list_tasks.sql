-- A page of tasks, newest first, as {tasks: [...], next}: next is null on the last page. Pages are found by
-- key (p_before: tasks older than this uuid), so a deep page costs what the first one does.
-- p_filter: {namespace?, name?, version?, state?, initiator?, source_system?, correlation_id?, parent_correlation_id?,
-- sla_breached?, namespaces?}, the last one an array of those that the caller may see.
-- Unfinished states are looked up through the wake-ups and dead letters, which are few, and not among all tasks.
-- Source: reference section 6.2. Called by TasksResource.
create or replace function tasker.list_tasks(p_filter jsonb default '{}', p_limit int default 25, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
as $$
declare
  v_state     tasker.task_state := (p_filter ->> 'state')::tasker.task_state;
  v_named     uuid[];
  v_page      uuid[];
begin
  if p_filter ?| array['namespace', 'name', 'version', 'namespaces'] then
    select coalesce(array_agg(nt.named_task_uuid), '{}') into v_named
    from tasker.named_tasks nt join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where (p_filter ->> 'namespace' is null or ns.name = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name)
      and (p_filter ->> 'name' is null or nt.name = p_filter ->> 'name')
      and (p_filter ->> 'version' is null or nt.version = p_filter ->> 'version');
  end if;

  select array_agg(p.task_uuid order by p.task_uuid desc) into v_page
  from (
    select t.task_uuid from tasker.tasks t
    where (p_before is null or t.task_uuid < p_before)
      and (v_named is null or t.named_task_uuid = any (v_named))
      and (v_state is null or t.state = v_state)
      and (v_state is null or v_state in ('complete', 'error', 'cancelled', 'resolved_manually')
           or t.task_uuid in (select w.task_uuid from tasker.task_wakeups w
                              union all select d.task_uuid from tasker.tasks_dlq d))
      and (p_filter ->> 'sla_breached' is null or (t.sla_breached_at is not null) = (p_filter ->> 'sla_breached')::boolean)
      and (p_filter ->> 'initiator' is null or t.initiator = p_filter ->> 'initiator')
      and (p_filter ->> 'source_system' is null or t.source_system = p_filter ->> 'source_system')
      and (p_filter ->> 'correlation_id' is null or t.correlation_id = (p_filter ->> 'correlation_id')::uuid)
      and (p_filter ->> 'parent_correlation_id' is null or t.parent_correlation_id = (p_filter ->> 'parent_correlation_id')::uuid)
    order by t.task_uuid desc
    limit p_limit + 1) p;

  return jsonb_build_object(
    'tasks', tasker.get_task_documents(coalesce(v_page[1:p_limit], '{}'), false),
    'next', case when cardinality(v_page) > p_limit then v_page[p_limit] end);
end
$$;
comment on function tasker.list_tasks(jsonb, int, uuid) is 'A page of tasks, newest first.';
