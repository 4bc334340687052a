-- What start_admitted_steps did, added to the answer of evaluate_tasks.
create or replace function tasker.merge_replies(p_answer jsonb, p_claimed uuid[], p_queued text[], p_ended jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return p_answer || jsonb_build_object(
    'claimed_steps', (p_answer -> 'claimed_steps')
                   || case when cardinality(p_claimed) > 0 then tasker.get_claimed_steps(p_claimed)::jsonb else '[]' end,
    'queued', (select coalesce(jsonb_agg(distinct q), '[]')
               from (select jsonb_array_elements_text(p_answer -> 'queued') as q union all select unnest(p_queued)) q),
    'ended', (p_answer -> 'ended') || p_ended);
end
$$;
comment on function tasker.merge_replies(jsonb, uuid[], text[], jsonb) is
  'What start_admitted_steps did, added to the answer of evaluate_tasks.';
