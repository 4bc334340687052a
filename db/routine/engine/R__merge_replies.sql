-- Merges two replies about different work into one: appends each member of the second, which must
-- be an array, to the same member of the first; lists each namespace in queued once. Keeps members
-- that only the first has.
create or replace function tasker.merge_replies(p_first jsonb, p_second jsonb)
returns jsonb
language sql immutable parallel safe
set search_path = ''
as $$
  select p_first || coalesce(jsonb_object_agg(m.key,
                                              case
                                                when m.key = 'queued' then
                                                  (select coalesce(jsonb_agg(distinct q), '[]')
                                                   from jsonb_array_elements(m.members) q)
                                                else m.members end),
                             '{}')
  from (select s.key, coalesce(p_first -> s.key, '[]') || s.value as members
        from jsonb_each(p_second) s) m
$$;
comment on function tasker.merge_replies(jsonb, jsonb) is
  'Merges two replies about different work into one, member by member.';
