-- The JSON pointer of a value that is to be sealed and is not, one of them; null when there is
-- none. p_places: as of read_sealed_places; null: nothing is to be sealed. A place that the
-- document lacks is fine. What is sealed is an object with the member $sealed alone:
-- {"$sealed": {"key": …, "data": …}}; only those who have the key can tell whether it opens.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.find_unsealed(p_document jsonb, p_places jsonb)
returns text
language sql immutable
set search_path = ''
as $$
  with recursive reached(value, places, pointer) as (
    select p_document, p_places, ''
    where p_places is not null and p_document is not null
    union all
    select m.value, m.places, r.pointer || '/' || replace(replace(m.name, '~', '~0'), '/', '~1')
    from reached r
    cross join lateral (
      select e.key as name, r.value -> e.key as value, e.value as places
      from jsonb_each(case when jsonb_typeof(r.value) = 'object'
                             and jsonb_typeof(r.places) = 'object' then
                             r.places -> 'properties' end) e
      where r.value ? e.key
      union all
      select (e.ordinality - 1)::text, e.value, r.places -> 'items'
      from jsonb_array_elements(case when jsonb_typeof(r.value) = 'array'
                                       and jsonb_typeof(r.places) = 'object'
                                       and r.places ? 'items' then r.value end)
           with ordinality as e) m)
  select r.pointer
  from reached r
  where r.places = 'true'
    and not coalesce(jsonb_typeof(r.value) = 'object'
                     and r.value - '$sealed' = '{}'
                     and jsonb_typeof(r.value #> '{$sealed,key}') = 'string'
                     and jsonb_typeof(r.value #> '{$sealed,data}') = 'string',
                     false)
  order by r.pointer limit 1
$$;
comment on function tasker.find_unsealed(jsonb, jsonb) is
  'The JSON pointer of a value that is to be sealed and is not; null when there is none.';
