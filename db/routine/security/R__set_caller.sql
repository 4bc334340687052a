-- Records the authenticated caller for the rest of the transaction: operator_actions keeps it.
create or replace function tasker.set_caller(p_caller text)
returns text
language sql volatile
as $$
  select set_config('tasker.caller', coalesce(p_caller, ''), true)
$$;
comment on function tasker.set_caller(text) is
  'Records the authenticated caller for the rest of the transaction.';
