-- Whether this session prepares what takes from a queue and adds to it, as prepare_queue_statement
-- does. Not for a function that acts with the rights of its owner: a session can prepare anything
-- under any name. Not with more than 32 namespaces: their plans are 130 kB each in every session.
-- Locks: none. Source: ADR 0099.
create or replace function tasker.prepares_queue_statements()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return current_user = session_user
    and not exists (select from tasker.task_namespaces offset 32);
end
$$;
comment on function tasker.prepares_queue_statements() is
  'Whether this session prepares what takes from a queue and adds to it.';
