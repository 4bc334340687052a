-- The namespace of a queue name: worker_X_queue and X_queue give X, orchestration queues give
-- orchestration, anything else default. Without a namespace, worker__queue gives worker.
create or replace function tasker.extract_queue_namespace(queue_name text)
returns text
language sql immutable parallel safe
as $$
  select case
           when queue_name ~ '^orchestration' then 'orchestration'
           when queue_name ~ '^worker_.*_queue$' then
             coalesce((regexp_match(queue_name, '^worker_(.+)_queue$'))[1], 'worker')
           else coalesce(
             (regexp_match(queue_name, '^([a-zA-Z][a-zA-Z0-9_]*)_queue$'))[1], 'default') end
$$;
comment on function tasker.extract_queue_namespace(text) is
  'The namespace of a queue name.';
