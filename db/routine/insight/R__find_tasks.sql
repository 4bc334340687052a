-- The keys of the tasks that match a filter, at most p_limit, newest first, or oldest first with
-- order "oldest". Pages are found by key (p_cursor: the last task of the page before), so a deep
-- page costs what the first one does.
-- p_filter: {namespace?, name?, version?, name_not?, name_prefix?, state?, state_not?, tag?,
-- initiator?, source_system?, correlation_id?, parent_correlation_id?, sla_breached?, roots?,
-- created_after?, created_before?, updated_after?, updated_before?, completed_after?,
-- completed_before?, task_uuid?, failed_step?, error_type?, error_signature?, attributes?,
-- attribute_value?, namespaces?, order?}. task_uuid is one key or several with commas between them;
-- failed_step, error_type and error_signature are of one step that stands in error, see
-- has_failed_step. state and state_not are one state or several with commas between them; roots
-- (true) leaves out tasks with a parent; *_after includes its time and *_before does not;
-- namespaces is an array of those that the caller may read; attributes is {name: value, …}, search
-- attributes of the template that all have to have these values; attribute_value is that of any
-- search attribute, of the newest 1000 tasks that have it. Keys are ordered by the time of
-- creation, so times of creation bound the part of the index that is read, and so do the others
-- from above: a task is not completed before it is created. Ten minutes more are read, because a
-- key is made some time after the task's creation was stamped. Unfinished states are looked up
-- through the wake-ups and dead letters, which are few, and not among all tasks. Search attributes
-- are looked up in their index, in the order of the page; of several first that which the fewest
-- tasks have.
-- p_since: tasks with smaller keys are left out. r_unknown_attribute: a name that no template of
-- the filter declares; then r_tasks is null. The values are content of tasks: a REST caller passes
-- only the namespaces whose contexts it may read. Reads only. Source: ADR 0029.
create or replace function tasker.find_tasks(
  p_filter jsonb, p_limit int, p_cursor uuid default null, p_since uuid default null,
  out r_tasks uuid[], out r_unknown_attribute text)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  v_excluded  tasker.task_state[] := coalesce(
    string_to_array(p_filter ->> 'state_not', ','), '{}')::tasker.task_state[];
  -- The states that are left, so that one index serves both ways of saying it.
  v_states    tasker.task_state[] := case
    when p_filter ?| array['state', 'state_not'] then
      array(select s.state
            from unnest(coalesce(string_to_array(p_filter ->> 'state', ',')::tasker.task_state[],
                                 enum_range(null::tasker.task_state))) s(state)
            where not s.state = any (v_excluded)) end;
  v_only      uuid[] := string_to_array(p_filter ->> 'task_uuid', ',')::uuid[];
  v_oldest    boolean := coalesce(p_filter ->> 'order' = 'oldest', false);
  v_from      uuid := tasker.calculate_first_uuid(
    (p_filter ->> 'created_after')::timestamptz - interval '10 minutes');
  v_until     timestamptz := least(
    (p_filter ->> 'created_before')::timestamptz, (p_filter ->> 'updated_before')::timestamptz,
    (p_filter ->> 'completed_before')::timestamptz) + interval '10 minutes';
  v_to        uuid := tasker.calculate_first_uuid(v_until);
  v_named     uuid[];
  -- The attribute that leads, if any: joined to the tasks. With '' the planner leaves the join out.
  v_attribute text := '';
  v_value     text := '';
  v_others    jsonb := p_filter -> 'attributes';
begin
  if p_filter ?| array['namespace', 'name', 'version', 'name_not', 'name_prefix', 'namespaces',
                       'attributes'] then
    select coalesce(array_agg(nt.named_task_uuid), '{}') into v_named
    from tasker.named_tasks nt
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where (p_filter ->> 'namespace' is null or ns.name = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name)
      and (p_filter ->> 'name' is null or nt.name = p_filter ->> 'name')
      and (p_filter ->> 'name_not' is null or nt.name <> p_filter ->> 'name_not')
      and (p_filter ->> 'name_prefix' is null or starts_with(nt.name, p_filter ->> 'name_prefix'))
      and (p_filter ->> 'version' is null or nt.version = p_filter ->> 'version');
  end if;

  if v_others <> '{}' then
    select min(k.name) into r_unknown_attribute
    from jsonb_object_keys(v_others) k(name)
    where not exists (select from tasker.named_tasks nt
                      where nt.named_task_uuid = any (v_named) and nt.search_attributes ? k.name);
    if r_unknown_attribute is not null then
      return;
    end if;
    -- A single attribute needs no intersection.
    select a.name, a.value into v_attribute, v_value
    from jsonb_each_text(v_others) a(name, value)
    cross join lateral (select count(*) as tasks
                        from (select from tasker.task_search_attributes s
                              where s.name = a.name and s.value = a.value
                              limit case when v_others - a.name = '{}' then 0 else 100 end) f) n
    order by n.tasks, a.name limit 1;
    v_others := nullif(v_others - v_attribute, '{}');
  else
    v_others := null;
  end if;

  -- With v_oldest known when it is planned, one of the two orders is constant and falls away.
  r_tasks := array(
    select t.task_uuid
    from tasker.tasks t
    left join tasker.task_search_attributes s on s.task_uuid = t.task_uuid
      and s.name = v_attribute
      and s.value = v_value
    where (v_attribute = ''
           or (s.task_uuid is not null
               and (p_cursor is null or v_oldest or s.task_uuid < p_cursor)
               and (p_cursor is null or not v_oldest or s.task_uuid > p_cursor)
               and (v_until is null or s.task_uuid < v_to)
               and (p_filter ->> 'created_after' is null or s.task_uuid >= v_from)))
      and (v_others is null
           or not exists (
             select from jsonb_each_text(v_others) o(name, value)
             where not exists (
                 select from tasker.task_search_attributes x
                 where x.task_uuid = t.task_uuid and x.name = o.name and x.value = o.value)))
      and (p_filter ->> 'attribute_value' is null
           or t.task_uuid
             = any (array(select s.task_uuid
                          from tasker.task_search_attributes s
                          where s.name = any (array(select distinct k.name
                                                    from tasker.named_tasks nt
                                                    cross join lateral jsonb_object_keys(
                                                      nt.search_attributes) k(name)))
                            and s.value = p_filter ->> 'attribute_value'
                          order by s.task_uuid desc limit 1000)))
      and (p_cursor is null or v_oldest or t.task_uuid < p_cursor)
      and (p_cursor is null or not v_oldest or t.task_uuid > p_cursor)
      and (p_since is null or t.task_uuid >= p_since)
      and (v_only is null or t.task_uuid = any (v_only))
      and (v_named is null or t.named_task_uuid = any (v_named))
      and (p_filter ->> 'created_after' is null
           or (t.task_uuid >= v_from
               and t.created_at >= (p_filter ->> 'created_after')::timestamptz))
      and (v_until is null or t.task_uuid < v_to)
      and (p_filter ->> 'created_before' is null
           or t.created_at < (p_filter ->> 'created_before')::timestamptz)
      and (p_filter ->> 'completed_after' is null
           or t.completed_at >= (p_filter ->> 'completed_after')::timestamptz)
      and (p_filter ->> 'completed_before' is null
           or t.completed_at < (p_filter ->> 'completed_before')::timestamptz)
      -- What has ended does not move again; of the others the last move is looked up.
      and (p_filter ->> 'updated_after' is null
           or (p_filter ->> 'updated_after')::timestamptz
             <= coalesce(t.completed_at,
                         (select h.created_at
                          from tasker.task_moves h
                          where h.task_uuid = t.task_uuid and h.sort_key = t.transition_count),
                         t.created_at))
      and (p_filter ->> 'updated_before' is null
           or (p_filter ->> 'updated_before')::timestamptz
             > coalesce(t.completed_at,
                        (select h.created_at
                         from tasker.task_moves h
                         where h.task_uuid = t.task_uuid and h.sort_key = t.transition_count),
                        t.created_at))
      and (p_filter ->> 'tag' is null or t.tags ? (p_filter ->> 'tag'))
      and (v_states is null or t.state = any (v_states))
      and (v_states is null
           or v_states && '{complete,error,cancelled,resolved_manually}'
           -- An array and not a subquery: below an "or" that would be a filter on every task, and
           -- this is looked up in the index.
           or t.task_uuid = any (array(select w.task_uuid
                                       from tasker.task_wakeups w
                                       union all
                                       select d.task_uuid from tasker.tasks_dlq d)))
      and (p_filter ->> 'sla_breached' is null
           or (t.sla_breached_at is not null) = (p_filter ->> 'sla_breached')::boolean)
      and (p_filter ->> 'initiator' is null or t.initiator = p_filter ->> 'initiator')
      and (p_filter ->> 'source_system' is null or t.source_system = p_filter ->> 'source_system')
      and (p_filter ->> 'correlation_id' is null
           or t.correlation_id = (p_filter ->> 'correlation_id')::uuid)
      and (p_filter ->> 'parent_correlation_id' is null
           or t.parent_correlation_id = (p_filter ->> 'parent_correlation_id')::uuid)
      and (p_filter ->> 'roots' is null
           or (t.parent_task_uuid is null) = (p_filter ->> 'roots')::boolean)
      and (not p_filter ?| array['failed_step', 'error_type', 'error_signature']
           or ((t.failed_steps > 0 or t.compensation is not null)
               and tasker.has_failed_step(
                 t.task_uuid, p_filter ->> 'failed_step', p_filter ->> 'error_type',
                 p_filter ->> 'error_signature')))
    order by case when v_oldest then t.task_uuid end, t.task_uuid desc
    limit p_limit);
end
$$;
comment on function tasker.find_tasks(jsonb, int, uuid, uuid) is
  'The keys of the tasks that match a filter, newest or oldest first.';
