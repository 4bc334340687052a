-- The keys of a step that only its handler reads: plain values, which the engine stores with the
-- template and hands on with the step's definition. All but the keys that are named here: those
-- have columns of their own, or are there for readers of the template. Null: the step has none.
-- p_step: as it is in the normal form of the template.
create or replace function tasker.get_handler_options(p_step jsonb)
returns jsonb
language sql immutable parallel safe
as $$
  select nullif(
           jsonb_strip_nulls(
             p_step - array['name', 'description', 'type', 'handler', 'dependencies',
                            'system_dependency', 'retry', 'timeout_seconds',
                            'queue_timeout_seconds', 'publishes_events', 'batch_config',
                            'result_schema', 'concurrency', 'rules', 'otherwise', 'on_none', 'wait',
                            'signal', 'approval', 'task', 'compensation']),
           '{}')
$$;
comment on function tasker.get_handler_options(jsonb) is
  'The keys of a step that only its handler reads.';
