-- Dead letters as the REST interface shows them: {entries, next}, newest first, by key.
-- allowed_actions: update while the entry is open, by the rule of update_dlq_entry.
-- p_filter: {resolution_status?, dlq_reason?, task_uuid?, dlq_entry_uuid?, namespaces?}.
create or replace function tasker.get_dlq_documents(
  p_filter jsonb default '{}', p_limit int default 50, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
as $$
declare
  v_entries jsonb;
begin
  select coalesce(jsonb_agg(p.entry order by p.dlq_entry_uuid desc), '[]') into v_entries
  from (select d.dlq_entry_uuid,
               to_jsonb(
                 d) || jsonb_build_object(
                 'namespace', ns.name,
                 'allowed_actions', case
                   when tasker.judge_dlq_update(d, null, null) is null then '["update"]'
                   else '[]' end::jsonb) as entry
        from tasker.tasks_dlq d
        left join tasker.tasks t on t.task_uuid = d.task_uuid
        left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
        where (p_before is null or d.dlq_entry_uuid < p_before)
          and (p_filter ->> 'resolution_status' is null
               or d.resolution_status
                 = (p_filter ->> 'resolution_status')::tasker.dlq_resolution_status)
          and (p_filter ->> 'dlq_reason' is null
               or d.dlq_reason = (p_filter ->> 'dlq_reason')::tasker.dlq_reason)
          and (p_filter ->> 'task_uuid' is null or d.task_uuid = (p_filter ->> 'task_uuid')::uuid)
          and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name)
          and (p_filter ->> 'dlq_entry_uuid' is null
               or d.dlq_entry_uuid = (p_filter ->> 'dlq_entry_uuid')::uuid)
        order by d.dlq_entry_uuid desc limit p_limit + 1) p;
  return jsonb_build_object(
    'next', case when jsonb_array_length(v_entries) > p_limit then
                   v_entries -> (p_limit - 1) -> 'dlq_entry_uuid' end,
    'entries', case when jsonb_array_length(v_entries) > p_limit then v_entries - p_limit
                    else v_entries end);
end
$$;
comment on function tasker.get_dlq_documents(jsonb, int, uuid) is
  'Dead letters as the REST interface shows them, newest first.';
