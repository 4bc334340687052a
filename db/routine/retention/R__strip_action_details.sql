-- What the erasure of a task leaves of the details of an operator action: states, identities and
-- counts. The previous contexts, inputs and results go.
-- Source: docs/reference/personal-data.md.
create or replace function tasker.strip_action_details(p_details jsonb)
returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_object_agg(
           d.key,
           case d.key when 'before' then
                  coalesce((select jsonb_object_agg(b.key, b.value)
                            from jsonb_each(d.value) b
                            where b.key in ('state', 'attempts')),
                           '{}')
                else d.value end)
  from jsonb_each(case when jsonb_typeof(p_details) = 'object' then p_details else '{}' end) d
  where d.key in ('policy', 'because_of', 'source_task_uuid', 'fork_task_uuid', 'from', 'steps',
                  'children', 'forced')
    or (d.key = 'before' and jsonb_typeof(d.value) = 'object')
$$;
comment on function tasker.strip_action_details(jsonb) is
  'What the erasure of a task leaves of the details of an operator action.';
