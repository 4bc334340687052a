-- How long finished tasks of each template are kept, per state, and which policy decides: a policy
-- of the template precedes the version's retention_days, that a policy of the namespace, and that a
-- policy of everything; on each level a policy for the state precedes one for any state. keep_days
-- null: without limit. Reads only.
create or replace function tasker.get_retention_rules()
returns table (named_task_uuid uuid, state tasker.task_state, keep_days int, decided_by text)
language sql stable parallel safe
as $$
  select nt.named_task_uuid, s.state, r.keep_days, coalesce(r.decided_by, 'none')
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  cross join unnest('{complete,error,cancelled,resolved_manually}'::tasker.task_state[]) as s(state)
  left join lateral (
    select c.keep_days, c.decided_by
    from (select p.keep_days,
                 case when p.template_name is not null then 'template policy'
                      when p.namespace_name is not null then 'namespace policy'
                      else 'general policy' end as decided_by,
                 case when p.template_name is not null then 1
                      when p.namespace_name is not null then 3
                      else 4 end as precedence,
                 p.state is null as is_any_state
          from tasker.retention_policies p
          where (p.namespace_name is null or p.namespace_name = ns.name)
            and (p.template_name is null or p.template_name = nt.name)
            and (p.state is null or p.state = s.state)
          union all
          select nt.retention_days, 'template', 2, true where nt.retention_days is not null) c
    order by c.precedence, c.is_any_state limit 1) r on true
$$;
comment on function tasker.get_retention_rules() is
  'How long finished tasks of each template are kept, per state, and which policy decides.';
