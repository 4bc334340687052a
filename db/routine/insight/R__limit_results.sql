-- The results and errors of steps with their sizes, in bytes of their JSON text, and whether an
-- answer shows them: not those of more than p_most_bytes, and none behind the first 4 MiB of those
-- that it shows, in the order of the steps, or of the attempts. An answer is put together in
-- memory, here and in the server, so the choice comes before.
-- p_step_uuids: the latest attempt of each; or p_step_uuid: all attempts of one. p_most_bytes null:
-- as long as all together may be.
-- Locks: none. Source: ADR 0065.
create or replace function tasker.limit_results(
  p_step_uuids uuid[], p_step_uuid uuid default null, p_most_bytes int default null)
returns table (workflow_step_uuid uuid, sort_key int, result jsonb, error jsonb,
               execution_time_ms bigint, is_time_measured boolean, result_bytes int,
               error_bytes int, shows_result boolean, shows_error boolean)
language sql stable parallel safe
as $$
  with found as (
    select a.workflow_step_uuid, a.sort_key, s.step_position, a.execution_time_ms,
           a.is_time_measured,
           case
             when a.success or p_step_uuid is not null then nullif(a.result, 'null') end as result,
           nullif(a.error, 'null') as error
    from tasker.workflow_steps s
    join tasker.workflow_step_result_audit a on a.workflow_step_uuid = s.workflow_step_uuid
      and (p_step_uuid is not null or a.sort_key = s.result_sort_key)
    where s.workflow_step_uuid = any (coalesce(p_step_uuids, array[p_step_uuid]))),
  sized as (
    select f.*, octet_length(f.result::text) as result_bytes,
           octet_length(f.error::text) as error_bytes
    from found f),
  chosen as (
    select z.*, z.result_bytes <= least(p_most_bytes, 4194304) as is_short_result,
           z.error_bytes <= least(p_most_bytes, 4194304) as is_short_error
    from sized z),
  summed as (
    select c.*,
           sum(case when c.is_short_result then c.result_bytes else 0 end
               + case when c.is_short_error then c.error_bytes
                      else 0 end) over (order by c.step_position, c.sort_key) as bytes
    from chosen c)
  select m.workflow_step_uuid, m.sort_key, m.result, m.error, m.execution_time_ms,
         m.is_time_measured, m.result_bytes, m.error_bytes,
         coalesce(m.is_short_result, false) and m.bytes <= 4194304,
         coalesce(m.is_short_error, false) and m.bytes <= 4194304
  from summed m
$$;
comment on function tasker.limit_results(uuid[], uuid, int) is
  'The results and errors of steps with their sizes, in bytes of their JSON text, and whether an '
  'answer shows them.';
