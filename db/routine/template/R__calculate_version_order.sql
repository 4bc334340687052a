-- A text that orders semantic versions as their specification 2.0.0 does, in collation C: numbers
-- as numbers, a prerelease before its release, its identifiers one by one, numeric ones before
-- others.
create or replace function tasker.calculate_version_order(p_version text)
returns text
language sql immutable parallel safe
as $$
  select (select string_agg(lpad(n, 16, '0'), '.' order by o)
          from unnest(string_to_array(split_part(p_version, '-', 1),
                                      '.')) with ordinality as u(n, o)) || case
           when strpos(p_version, '-') = 0 then '~'
           else (select string_agg(case when i ~ '^[0-9]+$' then '0' || lpad(i, 16, '0')
                                        else '1' || i end,
                                   ' ' order by o)
                 from unnest(string_to_array(substr(p_version, strpos(p_version, '-') + 1),
                                             '.')) with ordinality as u(i, o)) end
$$;
comment on function tasker.calculate_version_order(text) is
  'A text that orders semantic versions as their specification does, in collation C.';
