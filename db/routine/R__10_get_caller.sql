-- Who is authenticated in this transaction, as set_caller said; null where nobody is, as in psql. Called by functions that keep who did something: the caller is
-- who it was, and the name that the request gives is kept beside it.
create or replace function tasker.get_caller()
returns text
language sql stable
as $$
  select nullif(current_setting('tasker.caller', true), '')
$$;
comment on function tasker.get_caller() is 'Who is authenticated in this transaction, as set_caller said; null where nobody is.';
