-- Updates the search attributes of tasks from their contexts: adds and changes what differs,
-- deletes what the context no longer has.
-- Returns how many rows it wrote. Values that extract_search_attributes complains of are refused by
-- the callers before, and get no row.
-- Locks: the rows; the caller has created the tasks or holds them. Source: ADR 0029.
create or replace function tasker.write_search_attributes(p_task_uuids uuid[])
returns int
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_written int;
begin
  with wanted as materialized (
    select t.task_uuid, a.name, a.value
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_contexts c on c.task_uuid = t.task_uuid
    cross join lateral tasker.extract_search_attributes(nt.search_attributes, c.context) a
    where t.task_uuid = any (p_task_uuids)
      and nt.search_attributes is not null
      and a.value is not null),
  gone as (
    delete from tasker.task_search_attributes s
    where s.task_uuid = any (p_task_uuids)
      and not exists (select from wanted w where w.task_uuid = s.task_uuid and w.name = s.name)),
  written as (
    insert into tasker.task_search_attributes as s (task_uuid, name, value)
    select w.task_uuid, w.name, w.value
    from wanted w
    order by w.task_uuid, w.name
    on conflict (task_uuid, name) do update set value = excluded.value
    where s.value <> excluded.value
    returning s.task_uuid)
  select count(*) into v_written from written;
  return v_written;
end
$$;
comment on function tasker.write_search_attributes(uuid[]) is
  'Updates the search attributes of tasks from their contexts: adds and changes what differs, '
  'deletes what the context no longer has.';
