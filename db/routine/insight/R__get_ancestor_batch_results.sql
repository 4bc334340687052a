-- The results of a batch for a step that follows from it, by page, a JSON array in the order of the
-- batches: {batch_number, batch_id, result} for a worker that is complete, {batch_number, batch_id,
-- error} for one that failed, neither for one that an operator resolved. Those behind p_after, at
-- most p_limit.
-- p_most_bytes: the page ends after the result behind the one with which it exceeds so many bytes,
-- so that a caller who wants no more knows whether others follow.
-- p_batch_step: the name of the batch step. Null when the step has no such ancestor, or it is no
-- batch step that has made its batches.
-- Locks: none. Cost: the page. Source: ADR 0039.
create or replace function tasker.get_ancestor_batch_results(
  p_step_uuid uuid, p_batch_step text, p_after int, p_limit int, p_most_bytes int default 4194304)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_batch uuid;
begin
  select d.workflow_step_uuid into v_batch
  from tasker.get_step_transitive_dependencies(p_step_uuid) d
  join tasker.batches b on b.workflow_step_uuid = d.workflow_step_uuid
  where d.step_name = p_batch_step;
  if not found then
    return null;
  end if;
  return (
    -- Chosen before they are put together.
    with found as (
      select r.*,
             sum(octet_length(coalesce(r.result, r.error)::text))
               over (order by r.batch_number rows between unbounded preceding and 2
                     preceding) as bytes_before
      from tasker.get_batch_results(v_batch, p_after, p_limit) r)
    select coalesce(jsonb_agg(jsonb_build_object('batch_number', r.batch_number,
                                                 'batch_id', r.batch_id) || case r.state
                                when 'complete' then jsonb_build_object('result', r.result)
                                when 'error' then jsonb_build_object('error', r.error)
                                else '{}' end order by r.batch_number),
                    '[]')
    from found r
    where coalesce(r.bytes_before, 0) < p_most_bytes);
end
$$;
comment on function tasker.get_ancestor_batch_results(uuid, text, int, int, int) is
  'The results of a batch for a step that follows from it, by page, in the order of the batches.';
