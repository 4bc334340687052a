-- Whether the database ended a call because it took too long or used too much memory, by its
-- SQLSTATE.
-- The same call with less work may succeed. The servers have the same list
-- (DatabaseFaults.isTooExpensive).
create or replace function tasker.is_too_expensive(p_sqlstate text)
returns boolean
language sql immutable parallel safe
as $$
  select p_sqlstate in ('57014', '53200', '53400')
$$;
comment on function tasker.is_too_expensive(text) is
  'Whether the database ended a call because it took too long or used too much memory.';
