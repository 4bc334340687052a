-- The longest time that can pass between two fire times of a cron expression, as far as its fields
-- of days and months tell: an upper bound. The hours and the zone add less than two days, which are
-- in it. Null for an expression that has not five fields.
create or replace function tasker.get_longest_cron_gap(p_cron text)
returns interval
language sql immutable parallel safe
as $$
  select case
    when f.cron ~* '^@(yearly|annually)$' then interval '368 days'
    when f.cron ~* '^@monthly$' then interval '33 days'
    when f.cron ~* '^@weekly$' then interval '9 days'
    when f.cron ~* '^@(daily|midnight|hourly)$' then interval '3 days'
    when cardinality(f.fields) is distinct from 5 then null
    -- 29 February comes after eight years where a century has none.
    when f.fields[4] <> '*' and f.fields[3] <> '*' and f.fields[5] = '*' then interval '2925 days'
    when f.fields[4] <> '*' then interval '376 days'
    when f.fields[5] <> '*' then interval '9 days'
    when f.fields[3] <> '*' then interval '64 days'
    else interval '3 days' end
  from (select btrim(p_cron) as cron, regexp_split_to_array(btrim(p_cron), '\s+') as fields) f
$$;
comment on function tasker.get_longest_cron_gap(text) is
  'The longest time that can pass between two fire times of a cron expression: an upper bound.';
