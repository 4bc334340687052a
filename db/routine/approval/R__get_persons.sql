-- The persons behind a caller as histories name it, in lower case: the caller; for an API key also
-- who created the keys of its name, and so on; for a caller from a token or another identity store
-- also the same name without the prefix. Two callers with a person in common count as one where a
-- decision needs four eyes. Locks: none. Source: ADR 0044.
create or replace function tasker.get_persons(p_caller text)
returns text[]
language sql stable
as $$
  with recursive behind(caller) as (
    select p_caller
    where btrim(p_caller) <> ''
    union
    select k.created_by::text
    from behind b
    join tasker.access_keys k on 'key:' || k.name = b.caller)
  select coalesce(array_agg(distinct lower(p.name) order by lower(p.name)), '{}')
  from behind b
  cross join lateral (values (b.caller),
                             (regexp_replace(b.caller, '^(token|external):', ''))) as p(name)
$$;
comment on function tasker.get_persons(text) is
  'The persons behind a caller: the caller, and who created it if it is an API key.';
