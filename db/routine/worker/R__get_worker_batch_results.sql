-- A page of the results of a batch, for a step that follows from it and that an external worker
-- holds: {outcome: found, namespace, results, next}. results is as get_ancestor_batch_results gives
-- it, behind p_after, at most p_limit, and ends early after the one that exceeds p_most_bytes with
-- those before it; next is the number of the last one, as a text, when others follow, otherwise
-- null. p_batch_step: the name of the batch step. {outcome: no_such_batch, namespace} when the step
-- has no such ancestor, or it is no batch step that has made its batches. Otherwise the outcome of
-- find_claimed_step.
-- Locks: none. Cost: the page. Source: ADR 0060.
create or replace function tasker.get_worker_batch_results(
  p_worker_uuid uuid, p_owner text, p_step_uuid uuid, p_batch_step text, p_after int, p_limit int,
  p_most_bytes int default 1048576)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_found   jsonb := tasker.find_claimed_step(p_worker_uuid, p_owner, p_step_uuid);
  v_results jsonb;
begin
  if v_found ->> 'outcome' <> 'found' then
    return v_found;
  end if;
  -- One more than the page has, to know whether it is the last.
  v_results := tasker.get_ancestor_batch_results(
    p_step_uuid, p_batch_step, p_after, p_limit + 1, p_most_bytes);
  if v_results is null then
    return v_found || '{"outcome": "no_such_batch"}';
  end if;
  return (with sized as (
            select r.value, r.ordinality as n,
                   sum(octet_length(r.value::text)) over (order by r.ordinality)
                     - octet_length(r.value::text) as bytes_before
            from jsonb_array_elements(v_results) with ordinality r),
          page as (
            select s.value, s.n from sized s where s.n <= p_limit and s.bytes_before < p_most_bytes)
          select v_found || jsonb_build_object(
                   'results', coalesce(jsonb_agg(p.value order by p.n), '[]'),
                   'next', case when count(*) < jsonb_array_length(v_results) then
                                  max((p.value ->> 'batch_number')::int)::text end)
          from page p);
end
$$;
comment on function tasker.get_worker_batch_results(uuid, text, uuid, text, int, int, int) is
  'A page of the results of a batch, for a step that follows from it and that an external worker '
  'holds.';
