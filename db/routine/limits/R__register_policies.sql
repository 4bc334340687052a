-- Registers the policies of a template that is being registered: creates new ones; policies of
-- earlier versions are shared and get limit and when_full of this version; a limit that was set at
-- run time stays. Promotes the waiters that a higher limit admits.
-- Locks: the policies. Errors: TK007 for an invalid pointer or limit. Source: ADR 0013.
create or replace function tasker.register_policies(p_named_task_uuid uuid, p_template jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_given  record;
  v_uuid   uuid;
begin
  for v_given in
    select 0 as step_position, null::text as step_name, c.value as policy
    from jsonb_array_elements(coalesce(p_template -> 'concurrency', '[]')) c
    union all
    select s.ordinality::int, s.value ->> 'name', c.value
    from jsonb_array_elements(p_template -> 'steps') with ordinality as s
    cross join lateral jsonb_array_elements(coalesce(s.value -> 'concurrency', '[]')) c
  loop
    if v_given.policy ->> 'key' !~ '^/' or coalesce((v_given.policy ->> 'limit')::int, -1) < 1 then
      raise exception 'not a concurrency policy: %', v_given.policy using errcode = 'TK007';
    end if;
    insert into tasker.concurrency_policies as p
      (namespace_name, template_name, step_name, counts, key_pointer, when_full, template_limit)
    values (p_template ->> 'namespace_name', p_template ->> 'name', v_given.step_name,
            coalesce(v_given.policy ->> 'counts',
                     case when v_given.step_name is null then 'tasks'
                          else 'steps' end)::tasker.limited_unit,
            v_given.policy ->> 'key',
            coalesce(v_given.policy ->> 'when_full', 'queue')::tasker.when_full,
            (v_given.policy ->> 'limit')::int)
    on conflict on constraint one_policy_per_place_unit_and_key do update
      set template_limit = excluded.template_limit, when_full = excluded.when_full,
          updated_at = now()
    returning p.policy_uuid into v_uuid;
    insert into tasker.named_tasks_policies (named_task_uuid, step_position, policy_uuid)
    values (p_named_task_uuid, v_given.step_position, v_uuid) on conflict do nothing;
    perform tasker.promote_policy(v_uuid);
  end loop;
end
$$;
comment on function tasker.register_policies(uuid, jsonb) is
  'Registers the policies of a template that is being registered.';
