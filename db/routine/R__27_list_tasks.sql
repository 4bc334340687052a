-- A page of tasks, newest first, as {tasks: [...], next}: next is null on the last page. Pages are found by
-- key (p_before: tasks older than this uuid), so a deep page costs what the first one does.
-- p_filter: {namespace?, name?, version?, state?, tag?, initiator?, source_system?, correlation_id?, parent_correlation_id?,
-- sla_breached?, created_after?, created_before?, updated_after?, updated_before?, completed_after?, completed_before?, namespaces?}. state is
-- one state or several with commas between them; *_after includes its time and *_before does not; namespaces is an array of
-- those that the caller may see.
-- Keys are ordered by the time of creation, so times of creation bound the part of the index that is read, and so do the others
-- from above: a task is not completed before it is created. Ten minutes more are read, because a key is made some time after the task's creation was stamped.
-- Unfinished states are looked up through the wake-ups and dead letters, which are few, and not among all tasks.
-- Source: reference section 6.2. Called by TasksResource.
create or replace function tasker.list_tasks(p_filter jsonb default '{}', p_limit int default 25, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
declare
  v_states    tasker.task_state[] := string_to_array(p_filter ->> 'state', ',')::tasker.task_state[];
  v_from      uuid := tasker.calculate_first_uuid((p_filter ->> 'created_after')::timestamptz - interval '10 minutes');
  v_until     timestamptz := least((p_filter ->> 'created_before')::timestamptz, (p_filter ->> 'updated_before')::timestamptz,
                                   (p_filter ->> 'completed_before')::timestamptz) + interval '10 minutes';
  v_to        uuid := tasker.calculate_first_uuid(v_until);
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
      and (p_filter ->> 'created_after' is null or (t.task_uuid >= v_from and t.created_at >= (p_filter ->> 'created_after')::timestamptz))
      and (v_until is null or t.task_uuid < v_to)
      and (p_filter ->> 'created_before' is null or t.created_at < (p_filter ->> 'created_before')::timestamptz)
      and (p_filter ->> 'completed_after' is null or t.completed_at >= (p_filter ->> 'completed_after')::timestamptz)
      and (p_filter ->> 'completed_before' is null or t.completed_at < (p_filter ->> 'completed_before')::timestamptz)
      -- What has ended does not move again; of the others the last move is looked up.
      and (p_filter ->> 'updated_after' is null or (p_filter ->> 'updated_after')::timestamptz <= coalesce(t.completed_at,
            (select h.created_at from tasker.task_transitions h where h.task_uuid = t.task_uuid and h.sort_key = t.transition_count), t.created_at))
      and (p_filter ->> 'updated_before' is null or (p_filter ->> 'updated_before')::timestamptz > coalesce(t.completed_at,
            (select h.created_at from tasker.task_transitions h where h.task_uuid = t.task_uuid and h.sort_key = t.transition_count), t.created_at))
      and (p_filter ->> 'tag' is null or t.tags ? (p_filter ->> 'tag'))
      and (v_states is null or t.state = any (v_states))
      and (v_states is null or v_states && '{complete,error,cancelled,resolved_manually}'
           -- An array and not a subquery: below an "or" that would be a filter on every task, and this is looked up in the index.
           or t.task_uuid = any (array(select w.task_uuid from tasker.task_wakeups w
                                       union all select d.task_uuid from tasker.tasks_dlq d)))
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
