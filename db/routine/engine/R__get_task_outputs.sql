-- The outputs of ended tasks, each as get_task_output gives it, in one statement; without a row for
-- a task that is neither complete nor resolved manually.
-- item: the position in the argument, from 1.
-- Locks: none. Source: ADR 0043.
create or replace function tasker.get_task_outputs(p_task_uuids uuid[])
returns table (item int, task_uuid uuid, output jsonb, error jsonb)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  -- By the keys of each: the offsets keep the planner from reading whole tables at once where it
  -- takes them for small.
  select t.item, t.task_uuid,
         case when t.has_output then t.output when not t.is_too_large then t.results end,
         case when t.has_output then t.error
              when t.is_too_large then jsonb_build_object(
                'type', 'output_too_large',
                'message', format('the results of the leaves have %s bytes, and an output at '
                                  'most 1048576; choose from them with output',
                                  octet_length(t.results::text))) end
  from (
    select u.item::int, a.task_uuid, a.has_output, a.output, a.error, l.results,
           coalesce(octet_length(l.results::text) > 1048576, false) as is_too_large
    from unnest(p_task_uuids) with ordinality as u(task_uuid, item)
    cross join lateral (
      select k.task_uuid, coalesce(k.has_output, false) as has_output, o.output, o.error
      from tasker.tasks k
      left join tasker.task_outputs o on o.task_uuid = k.task_uuid
      where k.task_uuid = u.task_uuid and tasker.task_ended_well(k.state) offset 0) a
    cross join lateral (
      select coalesce(jsonb_object_agg(coalesce(s.name, n.name),
                                       r.result) filter (where r.result is not null),
                      '{}') as results
      from tasker.workflow_steps s
      join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
      join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
        and r.sort_key = s.result_sort_key
        and r.success
      where not a.has_output
        and s.task_uuid = a.task_uuid
        and s.step_position <= 1000000
        and s.state = 'complete'
        and not exists (select from tasker.get_child_steps(s.workflow_step_uuid))) l) t;
end
$$;
comment on function tasker.get_task_outputs(uuid[]) is
  'The outputs of ended tasks, each as get_task_output gives it, in one statement.';
