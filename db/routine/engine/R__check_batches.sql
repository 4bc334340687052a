-- Checks the batches that a batchable step returns: a sentence about what is wrong, or null.
-- p_batches is a JSON array with one cursor for each batch, any JSON of at most 16 KiB; empty
-- for none. Refuses what is no array, a step that is not batchable, more than
-- lifecycle.max_batches_per_step cursors, and one that is larger.
-- p_is_cut: the engine cut them from a list of items; an array of items may have 1 MiB.
-- Locks: none. Source: ADR 0039.
create or replace function tasker.check_batches(
  p_named_step_uuid uuid, p_batches jsonb, p_is_cut boolean default false)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_step  record;
  v_limit int := case when p_is_cut then 1048576 else 16384 end;
begin
  if not coalesce(jsonb_typeof(p_batches) = 'array', false) then
    return 'a batchable step must say which batches it makes: an array of cursors, empty for none';
  end if;
  select n.step_type, nt.max_batches_per_step into v_step
  from tasker.named_tasks_named_steps n
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  where n.named_step_uuid = p_named_step_uuid;
  if v_step.step_type is distinct from 'batchable' then
    return 'this step is not batchable, and makes no batches';
  end if;
  if jsonb_array_length(p_batches) > v_step.max_batches_per_step then
    return format('it would make %s batches, and max_batches_per_step is %s',
                  jsonb_array_length(p_batches), v_step.max_batches_per_step);
  end if;
  return coalesce((select format('batches[%s] has %s bytes, and %s must not have more than %s',
                                 c.ordinality - 1, octet_length(c.value::text),
                                 case when p_is_cut then 'the items of a batch' else 'a cursor' end,
                                 v_limit)
                   from jsonb_array_elements(p_batches) with ordinality as c
                   where octet_length(c.value::text) > v_limit
                   order by c.ordinality limit 1),
                  'batches ' || tasker.check_document(p_batches, 2147483647));
end
$$;
comment on function tasker.check_batches(uuid, jsonb, boolean) is
  'Checks the batches that a batchable step returns: a sentence about what is wrong, or null.';
