-- Whether an error comes from the connection, the transaction or the server, by the class of its
-- SQLSTATE, and not from the data. The same call may succeed later, so the caller gets the error,
-- and neither a task nor a request is blamed for it. The servers have the same list
-- (DatabaseFaults.isTransient) and answer these errors with 503; a test compares the two.
--
-- 08 connection lost, 25 state of the transaction (read-only, timed out), 28 and 3D login refused
-- or database missing, 40 deadlock or serialization failure, 53 connections, disk or memory
-- exhausted, 55 lock not available, 57 statement cancelled or server stopping, 58 error of the
-- system beneath.
create or replace function tasker.is_transient_error(p_sqlstate text)
returns boolean
language sql immutable parallel safe
as $$
  select left(p_sqlstate, 2) in ('08', '25', '28', '3D', '40', '53', '55', '57', '58')
$$;
comment on function tasker.is_transient_error(text) is
  'Whether an error comes from the connection, the transaction or the server, and not from the '
  'data.';
