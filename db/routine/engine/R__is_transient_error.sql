-- Whether an error is about the connection, the transaction or the server, by the class of its SQLSTATE, and not about the data at hand: the same call may
-- succeed later, so it is raised to the caller and not held against a task or a request.
create or replace function tasker.is_transient_error(p_sqlstate text)
returns boolean
language sql immutable parallel safe
as $$
  select left(p_sqlstate, 2) in ('08', '25', '40', '53', '55', '57', '58')
$$;
comment on function tasker.is_transient_error(text) is
  'Whether an error is about the connection, the transaction or the server, and not about the data at hand.';
