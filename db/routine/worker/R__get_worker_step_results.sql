-- The results of ancestors by name, of a step that an external worker holds: {outcome: found,
-- namespace, results}, where namespace is the task's. Leaves out names that are no ancestors, or
-- have no result. Otherwise the outcome of find_claimed_step.
-- Locks: none.
create or replace function tasker.get_worker_step_results(
  p_worker_uuid uuid, p_owner text, p_step_uuid uuid, p_names text[])
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_found jsonb := tasker.find_claimed_step(p_worker_uuid, p_owner, p_step_uuid);
begin
  if v_found ->> 'outcome' <> 'found' then
    return v_found;
  end if;
  return v_found || jsonb_build_object('results', (
    select coalesce(jsonb_object_agg(d.step_name, d.results), '{}')
    from tasker.get_step_transitive_dependencies(p_step_uuid) d
    where d.step_name = any (p_names) and d.results is not null));
end
$$;
comment on function tasker.get_worker_step_results(uuid, text, uuid, text[]) is
  'The results of ancestors by name, of a step that an external worker holds.';
