-- The results of all ancestors of a step by name, as one JSON object; leaves out ancestors without
-- a result. Empty when there is no such step. In plpgsql, which caches its plans: PostgreSQL would
-- plan a function in SQL at every call.
create or replace function tasker.get_ancestor_results(p_step_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(d.step_name, d.results) filter (where d.results is not null),
                    '{}')
    from tasker.get_step_transitive_dependencies(p_step_uuid) d);
end
$$;
comment on function tasker.get_ancestor_results(uuid) is
  'The results of all ancestors of a step by name, as one JSON object.';
