-- The queue on which the steps of a namespace are offered to workers.
create or replace function tasker.worker_queue(p_namespace text)
returns text
language sql immutable parallel safe
as $$
  select 'worker_' || p_namespace || '_queue'
$$;
comment on function tasker.worker_queue(text) is
  'The queue on which the steps of a namespace are offered to workers.';
