-- Whether a constraint or trigger of that name is on the table.
-- Locks: none.
create or replace function tasker.has_guard(p_table text, p_guard text)
returns boolean
language sql stable parallel safe
as $$
  select exists (select from pg_catalog.pg_constraint k
                 where k.conrelid = format('tasker.%I', p_table)::regclass
                   and k.conname = p_guard)
    or exists (select from pg_catalog.pg_trigger t
               where t.tgrelid = format('tasker.%I', p_table)::regclass
                 and t.tgname = p_guard)
$$;
comment on function tasker.has_guard(text, text) is
  'Whether a constraint or trigger of that name is on the table.';
