-- Whether an error comes from the connection, the transaction or the server, by the class of its SQLSTATE, and not from the
-- data. The same call may succeed later, so the caller gets the error, and neither a task nor a request is blamed for it.
create or replace function tasker.is_transient_error(p_sqlstate text)
returns boolean
language sql immutable parallel safe
as $$
  select left(p_sqlstate, 2) in ('08', '25', '40', '53', '55', '57', '58')
$$;
comment on function tasker.is_transient_error(text) is
  'Whether an error comes from the connection, the transaction or the server, and not from the data.';
