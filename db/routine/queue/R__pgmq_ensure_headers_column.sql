-- Ensures that a queue and its archive have the column headers, which versions of pgmq before 1.5
-- did not make: the claim order of a message and its handler are in it. A queue that does not exist
-- is left alone.
-- Errors: TK007 for what cannot be the name of a queue. Locks: the tables, if the column is
-- missing.
create or replace function tasker.pgmq_ensure_headers_column(queue_name text)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_table text;
begin
  if queue_name is null or queue_name !~ '^[a-zA-Z0-9_]{1,47}$' then
    raise exception 'queue name "%" must be 1 to 47 letters, digits or underscores', queue_name
      using errcode = 'TK007';
  end if;
  for v_table in
    select c.relname
    from pg_catalog.pg_class c
    where c.relnamespace = 'pgmq'::regnamespace
      and c.relname in ('q_' || lower(queue_name), 'a_' || lower(queue_name))
      and not exists (select from pg_catalog.pg_attribute a
                      where a.attrelid = c.oid and a.attname = 'headers' and not a.attisdropped)
  loop
    execute format('alter table pgmq.%I add column if not exists headers jsonb', v_table);
  end loop;
end
$$;
comment on function tasker.pgmq_ensure_headers_column(text) is
  'Ensures that a queue and its archive have the column headers.';
