-- Erases the documents of the tasks that have a value of a search attribute, one slice per call: of
-- a namespace, and with p_template of one template, newest first. p_children, p_namespaces: as
-- erase_task_documents has them. p_dry_run: counts them, 10 000 at most, and changes nothing.
-- p_after: next of the slice before. The records hold the name of the attribute and not its value.
-- Returns {outcome: done, erased, tasks, skipped: [{task_uuid, code, message}], forks, more, next},
-- erased being how many of the slice's tasks were erased, and tasks how many with their families;
-- skipped are those that erase_task_documents would refuse, and with the code task-locked those
-- that another transaction holds. Of a dry run {outcome: counted, count, erasable, more}. Or
-- refused with code, message and field: template-not-found, invalid-request when no such template
-- has the search attribute.
-- Locks: an advisory lock shared, which drop_history_month takes alone; then all tasks of the slice
-- by uuid, skip locked. Errors: TK007 as check_action, and for a flag that is null, or a limit that
-- is not 1 to 1000.
-- Source: ADR 0029, ADR 0094.
create or replace function tasker.erase_tasks_by_attribute(
  p_namespace text, p_template text, p_name text, p_value text, p_by text, p_reason text,
  p_children boolean default true, p_dry_run boolean default false, p_limit int default 100,
  p_after uuid default null, p_now timestamptz default null, p_namespaces jsonb default null)
returns jsonb
language plpgsql
set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_templates uuid[];
  v_roots     uuid[];
  v_locked    uuid[];
  v_erased    uuid[] := '{}';
  v_family    uuid[];
  v_skipped   jsonb;
  v_last      uuid;
  v_count     int;
begin
  perform tasker.check_action('erase', array['erase'], p_by, p_reason);
  if p_children is null or p_dry_run is null then
    raise exception 'children and dry_run must be true or false, not null' using errcode = 'TK007';
  end if;
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'limit must be 1 to 1000, not %', coalesce(p_limit::text, 'null')
      using errcode = 'TK007';
  end if;
  select array_agg(nt.named_task_uuid),
         array_agg(nt.named_task_uuid) filter (where nt.search_attributes ? p_name)
    into v_roots, v_templates
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where ns.name = p_namespace and (p_template is null or nt.name = p_template);
  if v_roots is null then
    return tasker.refuse_unknown(
      'template', p_namespace || coalesce('/' || p_template, ''),
      case when p_namespace is null or p_template is null then 'namespace' else 'template' end);
  elsif v_templates is null then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'field', 'attribute',
      'message', format('no such template has the search attribute %s', p_name));
  end if;

  if p_dry_run then
    return (
      select jsonb_build_object('outcome', 'counted', 'count', least(count(*), 10000),
                                'erasable', count(*) filter (where c.n <= 10000 and c.is_erasable),
                                'more', count(*) > 10000)
      from (select row_number() over (order by a.task_uuid desc) as n,
                   tasker.judge_erasure(t, p_children, p_namespaces) is null as is_erasable
            from tasker.task_search_attributes a
            join tasker.tasks t on t.task_uuid = a.task_uuid
            where a.name = p_name and a.value = p_value
              and t.named_task_uuid = any (v_templates)
            order by a.task_uuid desc limit 10001) c);
  end if;

  perform pg_catalog.pg_advisory_xact_lock_shared(
    pg_catalog.hashtext('tasker.ensure_history_partitions'));
  select array_agg(s.task_uuid order by s.task_uuid desc), count(*), min(s.task_uuid::text)::uuid
    into v_roots, v_count, v_last
  from (select a.task_uuid
        from tasker.task_search_attributes a
        join tasker.tasks t on t.task_uuid = a.task_uuid
        where a.name = p_name and a.value = p_value
          and t.named_task_uuid = any (v_templates)
          and (p_after is null or a.task_uuid < p_after)
        order by a.task_uuid desc limit p_limit) s;
  v_locked := array(select t.task_uuid
                    from tasker.tasks t
                    where t.task_uuid in (
                      select f.task_uuid from tasker.find_erasure_family(v_roots, p_children) f)
                    order by t.task_uuid for no key update skip locked);
  -- Judged under the locks; a child that was submitted since is not locked here.
  with judged as (
    select r.task_uuid,
           case when exists (
                  select from tasker.find_erasure_family(array[r.task_uuid], p_children) f
                  where f.task_uuid <> all (v_locked)) then
                  jsonb_build_object('code', 'task-locked',
                                     'message', 'another transaction holds the task or a child')
                else tasker.judge_erasure(t, p_children, p_namespaces) end as refusal
    from unnest(v_roots) as r(task_uuid)
    join tasker.tasks t on t.task_uuid = r.task_uuid)
  select coalesce(array_agg(j.task_uuid) filter (where j.refusal is null), '{}'),
         coalesce(jsonb_agg(jsonb_build_object('task_uuid', j.task_uuid,
                                               'code', j.refusal -> 'code',
                                               'message', j.refusal -> 'message')
                            order by j.task_uuid desc) filter (where j.refusal is not null),
                  '[]')
    into v_erased, v_skipped
  from judged j;
  v_family := array(select distinct f.task_uuid
                    from tasker.find_erasure_family(v_erased, p_children) f
                    join tasker.tasks t on t.task_uuid = f.task_uuid
                    where t.erased_at is null and f.task_uuid = any (v_locked)
                    order by f.task_uuid);
  perform tasker.erase_documents(
    v_family, p_by, p_reason,
    (select jsonb_object_agg(u.task_uuid, jsonb_build_object('attribute', p_name,
                                                             'children', p_children))
     from unnest(v_family) as u(task_uuid)),
    v_now);
  return jsonb_build_object(
    'outcome', 'done', 'erased', cardinality(v_erased), 'tasks', cardinality(v_family),
    'skipped', v_skipped, 'forks', tasker.find_unerased_forks(v_family),
    'more', v_count = p_limit, 'next', case when v_count = p_limit then v_last end);
end
$$;
comment on function tasker.erase_tasks_by_attribute(
  text, text, text, text, text, text, boolean, boolean, int, uuid, timestamptz,
  jsonb) is
  'Erases the documents of the tasks that have a value of a search attribute, one slice per call.';
