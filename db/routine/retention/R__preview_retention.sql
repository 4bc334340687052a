-- A dry run: what the clean-up would purge if it ran now, per template and state, with the oldest
-- end. At most p_limit tasks of each template are counted (is_more: there are more). retained of
-- them stay for now: their parent is there, a child is unfinished, a dead letter is open, or a
-- domain event has yet to be sent.
-- Reads only.
create or replace function tasker.preview_retention(
  p_limit int default 100000, p_now timestamptz default null)
returns table (namespace text, name text, version text, state text, keep_days int, decided_by text,
               tasks bigint, retained bigint, oldest_completed_at timestamptz, is_more boolean)
language plpgsql stable
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with rules as materialized (
    select r.*, min(r.keep_days) over (partition by r.named_task_uuid) as least_days
    from tasker.get_retention_rules() r
    where r.keep_days is not null),
  templates as (select distinct r.named_task_uuid, r.least_days from rules r),
  expired as (
    select e.*, m.named_task_uuid,
           count(*) over (partition by m.named_task_uuid) > p_limit as is_more
    from templates m
    cross join lateral (
      select t.state, t.completed_at,
             exists (select from tasker.tasks p where p.task_uuid = t.parent_task_uuid)
               or exists (select from tasker.tasks c
                          where c.parent_task_uuid = t.task_uuid and c.completed_at is null)
               or exists (select from tasker.tasks_dlq d
                          where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')
               or f.position is not null
                 and exists (select from tasker.domain_events v
                             where v.task_uuid = t.task_uuid
                               and coalesce(v.position > f.position, true)) as is_retained
      from tasker.tasks t
      join rules r on r.named_task_uuid = t.named_task_uuid and r.state = t.state
      cross join tasker.get_event_floor(v_now) as f(position)
      where t.named_task_uuid = m.named_task_uuid
        and t.task_uuid < tasker.calculate_first_uuid(
          v_now - m.least_days * interval '1 day' + interval '1 second')
        and t.completed_at + r.keep_days * interval '1 day' <= v_now
      limit p_limit + 1) e)
  select ns.name::text, nt.name::text, nt.version::text, r.state::text, r.keep_days, r.decided_by,
         count(e.state), count(*) filter (where e.is_retained), min(e.completed_at),
         coalesce(bool_or(e.is_more), false)
  from rules r
  join tasker.named_tasks nt on nt.named_task_uuid = r.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  join expired e on e.named_task_uuid = r.named_task_uuid and e.state = r.state
  group by ns.name, nt.name, nt.version, r.state, r.keep_days, r.decided_by
  order by ns.name, nt.name, nt.version, r.state;
end
$$;
comment on function tasker.preview_retention(int, timestamptz) is
  'A dry run: what the clean-up would purge if it ran now, per template and state.';
