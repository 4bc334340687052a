-- The documents that a worker needs to run claimed steps, as a JSON array in the order of the
-- argument: ids, name (of a step that was added to its task; null for a step that has its
-- template's name, which spares the template's row), handoff (identifies the step in every later
-- call), attempt, idempotency token, the task's context, the results of the direct parents by name,
-- inputs and checkpoint. The worker fetches results of farther ancestors one by one
-- (get_step_transitive_dependencies), and caches the template's part by template_step_uuid.
-- max_attempts is the number of the last possible attempt, so that it compares with attempt after a
-- reset as well. In plpgsql, which caches its plans: PostgreSQL would plan a function in SQL at
-- every call. json and not jsonb: the result is sent as text, and jsonb would be built, copied into
-- its array, copied into the reply and serialized.
-- A server reads the reply into its memory: behind the first 16 MiB a step has {step_uuid,
-- task_uuid, template_step_uuid, handoff, left_out: true} and no documents, and the caller gives it
-- back with release_steps. A step alone has its documents whatever their length.
create or replace function tasker.get_claimed_steps(p_step_uuids uuid[])
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_steps json;
  v_one   json;
  v_parts json[] := '{}';
  v_bytes bigint := 0;
begin
  begin
    v_steps := (
      select coalesce(json_agg(tasker.format_claimed_step(
                                 s::tasker.workflow_steps, t::tasker.tasks,
                                 c::tasker.task_contexts, d, p.results) order by u.n),
                      '[]')
      from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
      -- By the keys of each: the offsets keep the planner from reading whole tables at once where
      -- it takes them for small.
      cross join lateral (
        select a.* from tasker.workflow_steps a where a.workflow_step_uuid = u.step_uuid offset 0) s
      cross join lateral (
        select a.* from tasker.tasks a where a.task_uuid = s.task_uuid offset 0) t
      cross join lateral (
        select a.* from tasker.task_contexts a where a.task_uuid = s.task_uuid offset 0) c
      left join tasker.workflow_step_documents d on d.workflow_step_uuid = s.workflow_step_uuid
      -- A subquery in a case: a step without parents looks nothing up.
      cross join lateral (
        select case when s.total_parents > 0 or s.batch_step_uuid is not null then (
                 select json_object_agg(coalesce(parent.name, n.name), r.result)
                 from (
                   -- The parents of a worker are those of its batch step.
                   select case when s.batch_step_uuid is null then s.step_position
                               else (select b.step_position
                                     from tasker.workflow_steps b
                                     where b.workflow_step_uuid
                                         = s.batch_step_uuid) end as step_position
                   offset 0) c
                 cross join lateral (
                   select a.from_position
                   from tasker.named_step_edges a
                   where a.to_named_step_uuid = s.named_step_uuid
                     and a.to_position = c.step_position
                   union all
                   select a.from_position
                   from tasker.added_step_edges a
                   where a.task_uuid = s.task_uuid and a.to_position = c.step_position) e
                 cross join lateral (select a.*
                                     from tasker.workflow_steps a
                                     where a.task_uuid = s.task_uuid
                                       and a.step_position = e.from_position offset 0) parent
                 join tasker.named_steps n on n.named_step_uuid = parent.named_step_uuid
                 cross join lateral (select a.result
                                     from tasker.workflow_step_result_audit a
                                     where a.workflow_step_uuid = parent.workflow_step_uuid
                                       and a.sort_key = parent.result_sort_key
                                       and a.success offset 0) r) end as results) p);
    if octet_length(v_steps::text) <= 16777216 or cardinality(p_step_uuids) = 1 then
      return v_steps;
    end if;
  exception when program_limit_exceeded then
    if cardinality(p_step_uuids) = 1 then
      raise;
    end if;
  end;
  for i in 1 .. cardinality(p_step_uuids) loop
    if v_bytes <= 16777216 then
      v_one := tasker.get_claimed_steps(p_step_uuids[i:i]) -> 0;
      v_bytes := v_bytes + octet_length(v_one::text);
    end if;
    if i > 1 and v_bytes > 16777216 then
      v_one := (select json_build_object('step_uuid', s.workflow_step_uuid,
                                         'task_uuid', s.task_uuid,
                                         'template_step_uuid', s.named_step_uuid,
                                         'handoff', s.handoffs, 'left_out', true)
                from tasker.workflow_steps s
                where s.workflow_step_uuid = p_step_uuids[i]);
    end if;
    v_parts := v_parts || v_one;
  end loop;
  return to_json(v_parts);
end
$$;
comment on function tasker.get_claimed_steps(uuid[]) is
  'The documents that a worker needs to run claimed steps, as a JSON array in the order of the '
  'argument.';
