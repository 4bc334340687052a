-- The results of all ancestors of a step by name, as one JSON object; leaves out ancestors without a result. Empty when
-- there is no such step.
create or replace function tasker.get_ancestor_results(p_step_uuid uuid)
returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(d.step_name, d.results) filter (where d.results is not null), '{}')
  from tasker.get_step_transitive_dependencies(p_step_uuid) d
$$;
comment on function tasker.get_ancestor_results(uuid) is
  'The results of all ancestors of a step by name, as one JSON object.';
