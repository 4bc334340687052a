-- The authenticated caller of this transaction, as set_caller recorded it; null without one, as in
-- psql. Functions that record who did something record the caller, and beside it the name that the
-- request gives.
create or replace function tasker.get_caller()
returns text
language sql stable
as $$
  select nullif(current_setting('tasker.caller', true), '')
$$;
comment on function tasker.get_caller() is
  'The authenticated caller of this transaction, as set_caller recorded it; null without one.';
