-- Checks the choice of a decision of a template: a sentence about what is wrong, or null. Depends
-- on the template alone, so that one check serves all tasks. p_chosen is a JSON array of the names
-- of steps, each once; empty for none. Refuses what is no such array, names that the template does
-- not have, steps that are not downstream of the decision, and batch_worker steps.
-- Locks: none.
create or replace function tasker.check_choice(p_named_step_uuid uuid, p_chosen jsonb)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_step record;
begin
  if not coalesce(jsonb_typeof(p_chosen) = 'array', false)
     or jsonb_path_exists(p_chosen, 'strict $[*] ? (@.type() != "string")') then
    return 'a decision must say which steps it chose: an array of names, empty for none';
  end if;
  select n.named_task_uuid, n.step_position, n.step_type into v_step
  from tasker.named_tasks_named_steps n where n.named_step_uuid = p_named_step_uuid;
  if v_step.step_type is distinct from 'decision' then
    return 'this step is no decision, and chooses no steps';
  end if;
  if p_chosen = '[]' then
    return null;
  end if;
  return (with recursive below(position) as (
            select v_step.step_position
            union
            select n.step_position
            from below b
            join tasker.named_tasks_named_steps n on n.named_task_uuid = v_step.named_task_uuid
              and b.position = any (n.parent_positions))
          select case when n.step_position is null then
                        format('there is no step "%s" in the template', c.name)
                      when b.position is null or n.step_position = v_step.step_position then
                        format('step "%s" does not depend on this decision', c.name)
                      when n.step_type = 'batch_worker' then format(
                        'step "%s" is a batch_worker, and follows from its batchable step', c.name)
                      else format('step "%s" is chosen twice', c.name) end
          from (select c.value as name, min(c.ordinality) as n, count(*) as times
                from jsonb_array_elements_text(p_chosen) with ordinality as c
                group by c.value) c
          left join tasker.named_steps ns on ns.named_task_uuid = v_step.named_task_uuid
            and ns.name = c.name
          left join tasker.named_tasks_named_steps n on n.named_step_uuid = ns.named_step_uuid
          left join below b on b.position = n.step_position
          where b.position is null
            or n.step_position = v_step.step_position
            or n.step_type = 'batch_worker'
            or c.times > 1
          order by c.n limit 1);
end
$$;
comment on function tasker.check_choice(uuid, jsonb) is
  'Checks the choice of a decision of a template: a sentence about what is wrong, or null.';
