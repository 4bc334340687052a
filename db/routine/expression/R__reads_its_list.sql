-- Whether one of the paths of a filter starts at $ and reads all of the list that the filter is
-- applied to: the same list, or a member of each of its elements. One of its elements, and what a
-- method says about the list, are read once. Paths as in measure_path. Locks: none. Source: ADR
-- 0066.
create or replace function tasker.reads_its_list(p_paths jsonb, p_elements jsonb)
returns boolean
language sql immutable
set search_path = ''
as $$
  -- With or without [*]: an array is read by its elements anyway.
  select exists (
           select from jsonb_array_elements(p_paths) p
           cross join jsonb_array_elements_text(p_elements) e
           cross join lateral (
             select regexp_replace('$' || (p ->> 'path'), '("(?:[^"\\]|\\.)*"|[.][*])(?:\[[*]\])+',
                                   '\1', 'g') as path,
                    regexp_replace(e, '("(?:[^"\\]|\\.)*"|[.][*])(?:\[[*]\])+', '\1',
                                   'g') as list) x
           where p ->> 'at' = '$'
             and not coalesce((p ->> 'is_part')::boolean, false)
             and starts_with(x.path, x.list)
             and substr(x.path, length(x.list) + 1) ~ '^([.]|$)'
             and (e like '%[*][*]' or p ->> 'path' like '%[*]%'))
$$;
comment on function tasker.reads_its_list(jsonb, jsonb) is
  'Whether one of the paths of a filter starts at $ and reads all of the list that the filter is '
  'applied to.';
