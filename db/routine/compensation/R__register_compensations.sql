-- The compensations of a new template: for each step with one, a row of step_type compensation,
-- behind the positions of the steps. No task begins with it; begin_compensations adds a step of it.
-- p_steps: the steps of the normal form. Default: 10 attempts with exponential backoff from one
-- second to an hour, because undoing is retried harder than doing. A step with a child task and
-- without a compensation of its own gets one that asks the child to compensate itself: see
-- pass_child_waits.
-- Errors: TK007 for a compensation without handler, with another when than complete or attempted,
-- or of a step whose name is too long.
-- Locks: none; the caller has inserted the template. Source: ADR 0046.
create or replace function tasker.register_compensations(p_named_task_uuid uuid, p_steps jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_wrong text;
begin
  if not jsonb_path_exists(
      p_steps, '$[*] ? (@.compensation.type() == "object" || @.task.type() == "object")') then
    return;
  end if;
  select s.value ->> 'name' into v_wrong from jsonb_array_elements(p_steps) as s
  where jsonb_typeof(s.value -> 'task') = 'object' and length(s.value ->> 'name') > 115;
  if v_wrong is not null then
    raise exception 'step % has a child task, and must have a name of at most 115 characters',
      v_wrong
      using errcode = 'TK007';
  end if;
  select s.value ->> 'name' into v_wrong
  from jsonb_array_elements(p_steps) as s
  where jsonb_typeof(s.value -> 'compensation') = 'object'
    and (coalesce(s.value #>> '{compensation,handler,callable}', '') = ''
         or length(s.value ->> 'name') > 115);
  if v_wrong is not null then
    raise exception 'the compensation of step % must have a handler with a callable, and its step '
                    'a name of at most 115 characters', v_wrong
      using errcode = 'TK007';
  end if;
  select s.value ->> 'name' into v_wrong from jsonb_array_elements(p_steps) as s
  where s.value #> '{compensation,when}' not in ('"complete"', '"attempted"', 'null');
  if v_wrong is not null then
    raise exception 'compensation.when of step % must be complete or attempted', v_wrong
      using errcode = 'TK007';
  end if;
  insert into tasker.named_steps (named_task_uuid, name, description)
  select p_named_task_uuid, (s.value ->> 'name') || ':compensation',
         'compensates ' || (s.value ->> 'name')
  from jsonb_array_elements(p_steps) with ordinality as s
  where jsonb_typeof(s.value -> 'compensation') = 'object'
    or jsonb_typeof(s.value -> 'task') = 'object'
  order by s.ordinality;
  insert into tasker.named_tasks_named_steps
    (named_task_uuid, named_step_uuid, step_position, parent_positions, child_count, step_type,
     handler_callable, handler_method, handler_resolver, initialization, default_retryable,
     default_max_attempts, backoff, backoff_base_ms, max_backoff_ms, timeout_seconds,
     on_worker_lost, undoes_attempts, wait_for)
  select p_named_task_uuid, n.named_step_uuid, jsonb_array_length(p_steps) + s.ordinality::int,
         '{}', 0, 'compensation', c.value #>> '{handler,callable}',
         coalesce(c.value #>> '{handler,method}', 'call'), c.value #>> '{handler,resolver}',
         coalesce(nullif(c.value #> '{handler,initialization}', 'null'), '{}'),
         coalesce((c.value #>> '{retry,retryable}')::boolean, c.is_own),
         coalesce((c.value #>> '{retry,max_attempts}')::int, case when c.is_own then 10 else 1 end),
         coalesce((c.value #>> '{retry,backoff}')::tasker.backoff_kind, 'exponential'),
         coalesce((c.value #>> '{retry,backoff_base_ms}')::int, 1000),
         coalesce((c.value #>> '{retry,max_backoff_ms}')::int, 3600000),
         (c.value ->> 'timeout_seconds')::int,
         coalesce((c.value #>> '{retry,on_worker_lost}')::tasker.lost_worker_policy, 'reschedule'),
         coalesce(c.value ->> 'when' = 'attempted', false),
         case when not c.is_own then '{"kind": "child", "undo": true}'::jsonb end
  from jsonb_array_elements(p_steps) with ordinality as s
  cross join lateral (select s.value -> 'compensation' as value,
                             coalesce(jsonb_typeof(s.value -> 'compensation') = 'object',
                                      false) as is_own) c
  join tasker.named_steps n on n.named_task_uuid = p_named_task_uuid
    and n.name = (s.value ->> 'name') || ':compensation'
  where c.is_own or jsonb_typeof(s.value -> 'task') = 'object';
end
$$;
comment on function tasker.register_compensations(uuid, jsonb) is
  'Registers the compensations of a new template: a row for each, which no task begins with.';
