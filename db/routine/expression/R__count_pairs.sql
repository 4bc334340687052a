-- An upper bound of the pairs of values that a comparison compares: each value of the left paths
-- with each of the right ones, as often as it is evaluated. Paths as in measure_path; two that
-- begin at the same element meet only there. Locks: none. Source: ADR 0066.
create or replace function tasker.count_pairs(
  p_left jsonb, p_right jsonb, p_elements jsonb, p_times double precision, p_again double precision,
  p_document jsonb, p_nodes bigint,
  p_limit double precision)
returns double precision
language plpgsql immutable
set search_path = ''
as $$
declare
  v_pairs record;
  v_met   double precision;
  v_left  jsonpath[];
  v_right jsonpath[];
begin
  select coalesce(sum(c.n) filter (where c.is_left and c.at = '$'), 0) as left_root,
         coalesce(sum(c.n) filter (where c.is_left and c.at = '@'), 0) as left_element,
         coalesce(sum(c.n) filter (where not c.is_left and c.at = '$'), 0) as right_root,
         coalesce(sum(c.n) filter (where not c.is_left and c.at = '@'), 0) as right_element
    into v_pairs
  from (select p.value ->> 'at' as at, p.is_left,
               (tasker.count_values(p.value, p_elements, p_document, p_nodes))[1] as n
        from (select value, true as is_left
              from jsonb_array_elements(p_left)
              union all
              select value, false from jsonb_array_elements(p_right)) p) c;
  v_met := v_pairs.left_element * v_pairs.right_element;
  if v_met * p_again > p_limit and p_document is not null and p_elements::text !~ '[*]{2}' then
    -- Element by element.
    v_left := array(select ('lax $' || (p ->> 'path') || '[*]')::jsonpath
                    from jsonb_array_elements(p_left) p
                    where p ->> 'at' = '@');
    v_right := array(select ('lax $' || (p ->> 'path') || '[*]')::jsonpath
                     from jsonb_array_elements(p_right) p
                     where p ->> 'at' = '@');
    select coalesce(
             sum((select sum(jsonb_array_length(jsonb_path_query_array(i.value, l, '{}', true)))
                  from unnest(v_left) l)
                 * (select sum(jsonb_array_length(jsonb_path_query_array(i.value, r, '{}', true)))
                    from unnest(v_right) r)),
             0) into v_met
    from jsonb_array_elements_text(p_elements) e
    cross join lateral jsonb_path_query(p_document, ('lax ' || e)::jsonpath, '{}', true) as i(
      value);
  end if;
  return p_times * v_pairs.left_root * v_pairs.right_root + p_again * (
    v_pairs.left_root * v_pairs.right_element + v_pairs.left_element * v_pairs.right_root + v_met);
end
$$;
comment on function tasker.count_pairs(
  jsonb, jsonb, jsonb, double precision, double precision, jsonb, bigint, double precision) is
  'An upper bound of the pairs of values that a comparison compares.';
