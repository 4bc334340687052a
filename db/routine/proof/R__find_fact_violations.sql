-- Rows that contradict themselves: one row per finding, which names the fact. The facts are those
-- of list_guards, so that an installation without the guards is proved to have kept what they
-- would have enforced. Each table is read once.
-- Locks: none. Source: docs/reference/invariants.md, ADR 0081.
create or replace function tasker.find_fact_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language plpgsql stable
set search_path = '' set jit = off
as $$
declare
  v_table record;
begin
  for v_table in
    select g.table_name,
           string_agg(format('(%L, %s)', g.guard, g.fact), ', ' order by g.guard) as facts
    from tasker.list_guards() g
    where g.fact is not null
    group by g.table_name
    order by g.table_name
  loop
    return query execute format(
      $q$
      select 'row_keeps_its_facts',
             jsonb_strip_nulls(jsonb_build_object(
               'table', %1$L, 'fact', f.name, 'task_uuid', r.task_uuid,
               'step_uuid', to_jsonb(r) -> 'workflow_step_uuid'))
      from tasker.%1$I r
      cross join lateral (values %2$s) as f(name, holds)
      where f.holds is false
        and ($1 is null
             or r.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= $1))
      $q$,
      v_table.table_name, v_table.facts)
      using p_since;
  end loop;
end
$$;
comment on function tasker.find_fact_violations(timestamptz) is
  'Rows that contradict themselves: one row per finding, which names the fact.';
