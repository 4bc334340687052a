-- Tasks as lists of the REST interface show them, in the order of the argument, a JSON array;
-- unknown ones are left out. See get_task_documents for the members that only one task by itself
-- has.
create or replace function tasker.get_task_summaries(p_task_uuids uuid[])
returns json
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
begin
  return (select coalesce(json_agg(h order by array_position(p_task_uuids, h.task_uuid)), '[]')
          from tasker.get_task_headers(p_task_uuids) h);
end
$$;
comment on function tasker.get_task_summaries(uuid[]) is
  'Tasks as lists of the REST interface show them, in the order of the argument.';
