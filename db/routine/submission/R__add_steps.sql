-- Adds steps and edges to a task that is under way, all of them or none, in the caller's
-- transaction: a handler that does so in a transactional step adds them together with its result.
-- p_steps: array of {name, step, inputs?}. name is the step's own within its task; step names the
-- step of the template whose handler, retries, timeout and concurrency policies it has; inputs is
-- an object. p_edges: array of {from, to}, each the name of a step: of the task, or one of p_steps,
-- which at least one of the two must be. A parent that is done counts as done; a step that has left
-- pending gets no parent any more. Hands off steps without an unfinished parent, unless the task
-- accepts no handoffs.
-- Returns {outcome, steps: [{name, step_uuid}], task_state, queued, ended}; outcome is done or
-- refused, then with code, message and field: task-not-found; invalid-request for a list, name,
-- template's step, edge or a cycle; step-name-taken; step-not-movable for a child that has left
-- pending; task-already-ended; task-is-being-cancelled. A task has at most 10 000 steps, and a call
-- at most 100 000 edges.
-- Locks: the task, until the caller's transaction ends; then as evaluate_tasks. Source: ADR 0031.
create or replace function tasker.add_steps(
  p_task_uuid   uuid,
  p_steps       jsonb,
  p_edges       jsonb       default '[]',
  p_server_uuid uuid        default null,
  p_now         timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off
as $$
declare
  v_now      timestamptz;
  v_task     tasker.tasks;
  v_refusal  jsonb;
  v_names    text[];
  v_keys     uuid[];
  v_from     uuid[];
  v_to       uuid[];
  v_children uuid[];
  v_open     uuid[];
  v_parents  uuid[];
  v_is_ready boolean;
  v_births   tasker.step_birth[];
  v_position int;
  v_result   jsonb := '{"queued": [], "ended": []}';
begin
  v_refusal := tasker.check_additions(p_steps, p_edges);
  if v_refusal is not null then
    return jsonb_build_object('outcome', 'refused', 'code', 'invalid-request') || v_refusal;
  end if;

  -- From here on no step of the task is handed off, completed or added by another transaction: each
  -- statement below sees what those before wrote.
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_refusal := case
    when v_task.completed_at is not null then
      jsonb_build_object('code', 'task-already-ended',
                         'message', format('the task has already ended as %s', v_task.state))
    when v_task.cancel_requested_at is not null then
      jsonb_build_object('code', 'task-is-being-cancelled',
                         'message', format('%s has asked for the task to be cancelled',
                                           coalesce(v_task.cancel_requested_by, 'an operator')))
    when v_task.compensation is not null then
      jsonb_build_object('code', 'task-is-being-cancelled',
                         'message', 'the task is being compensated, and gets no other steps')
    when v_task.total_steps + jsonb_array_length(p_steps) > 10000 then jsonb_build_object(
      'code', 'invalid-request', 'field', 'steps',
      'message', format('the task has %s steps, and must not have more than 10000',
                        v_task.total_steps)) end;
  if v_refusal is not null then
    return jsonb_build_object('outcome', 'refused', 'task_state', v_task.state) || v_refusal;
  end if;

  select array_agg(g.value ->> 'name' order by g.ordinality),
         array_agg(tasker.uuid_v7() order by g.ordinality) into v_names, v_keys
  from jsonb_array_elements(p_steps) with ordinality as g;

  with present as materialized (
    select coalesce(s.name, n.name)::text as name, s.workflow_step_uuid as step_uuid, s.state,
           s.transition_count = 1 and s.state = 'pending' as is_open
    from tasker.workflow_steps s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.task_uuid = p_task_uuid),
  nodes as materialized (
    select p.name, p.step_uuid, p.state, p.is_open, false as is_new
    from present p
    union all
    -- Of a name that is given twice only the first: the second is refused.
    select distinct on (u.name) u.name, u.step_uuid, 'pending', true, true
    from unnest(v_names, v_keys) as u(name, step_uuid)
    where not exists (select from present p where p.name = u.name)),
  given as materialized (
    select g.ordinality - 1 as i, g.value ->> 'from' as from_name, g.value ->> 'to' as to_name,
           f.step_uuid as from_uuid, c.step_uuid as to_uuid, f.is_new or c.is_new as is_new,
           c.is_open, c.state,
           row_number() over (partition by g.value order by g.ordinality) > 1 as is_repeated
    from jsonb_array_elements(p_edges) with ordinality as g
    left join nodes f on f.name = g.value ->> 'from'
    left join nodes c on c.name = g.value ->> 'to'),
  problems(sort_order, code, field, message) as (
    select u.n, 'step-name-taken', format('steps[%s].name', u.n - 1),
           format('the task has a step %s already', u.name)
    from unnest(v_names) with ordinality as u(name, n)
    where exists (select from present p where p.name = u.name) or u.name = any (v_names[:u.n - 1])
    union all
    -- Also one that a decision has not created, and may yet.
    select u.n, 'step-name-taken', format('steps[%s].name', u.n - 1),
           format('the template of the task has a step %s', u.name)
    from unnest(v_names) with ordinality as u(name, n)
    where exists (select from tasker.named_steps s
                  where s.named_task_uuid = v_task.named_task_uuid and s.name = u.name)
      and not exists (select from present p where p.name = u.name)
    union all
    -- Its batch may yet create it.
    select u.n, 'step-name-taken', format('steps[%s].name', u.n - 1),
           format('step %s of the template names its workers so', s.name)
    from unnest(v_names) with ordinality as u(name, n)
    join tasker.named_tasks_named_steps n on n.named_task_uuid = v_task.named_task_uuid
      and n.step_type = 'batch_worker'
    join tasker.named_steps s on s.named_step_uuid = n.named_step_uuid
      and starts_with(u.name, s.name || '_')
      and substr(u.name, length(s.name) + 2) ~ '^[0-9]{3,7}$'
    union all
    select g.ordinality, 'invalid-request', format('steps[%s].step', g.ordinality - 1),
           format('step %s of the template is %s, and cannot be added', g.value ->> 'step',
                  case n.step_type when 'decision' then 'a decision'
                       when 'batchable' then 'batchable'
                       when 'compensation' then 'a compensation'
                       else 'a batch_worker' end)
    from jsonb_array_elements(p_steps) with ordinality as g
    join tasker.named_steps s on s.named_task_uuid = v_task.named_task_uuid
      and s.name = g.value ->> 'step'
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
      and n.step_type in ('decision', 'batchable', 'batch_worker', 'compensation')
    union all
    select g.ordinality, 'invalid-request', format('steps[%s].step', g.ordinality - 1),
           format('the template of the task has no step %s', g.value ->> 'step')
    from jsonb_array_elements(p_steps) with ordinality as g
    where not exists (select from tasker.named_steps n
                      where n.named_task_uuid = v_task.named_task_uuid
                        and n.name = g.value ->> 'step')
    union all
    select 100000 + e.i, 'invalid-request',
           format('edges[%s].%s', e.i, case when e.from_uuid is null then 'from' else 'to' end),
           format('there is no step %s in the task or in steps',
                  case when e.from_uuid is null then e.from_name else e.to_name end)
    from given e
    where e.from_uuid is null or e.to_uuid is null
    union all
    select 100000 + e.i, 'invalid-request', format('edges[%s]', e.i),
           case when e.is_repeated then 'is there twice'
                when e.from_uuid = e.to_uuid then 'is from a step to itself'
                else format('%s and %s are both in the task already; one of the two must be new',
                            e.from_name, e.to_name) end
    from given e
    where e.is_repeated or e.from_uuid = e.to_uuid or not e.is_new
    union all
    select 100000 + e.i, 'step-not-movable', format('edges[%s].to', e.i),
           format('step %s is %s and has left pending once; it gets no parent any more', e.to_name,
                  e.state)
    from given e
    where not e.is_open)
  select (select jsonb_build_object('outcome', 'refused', 'code', p.code, 'field', p.field,
                                    'message', p.message, 'task_state', v_task.state)
          from problems p
          order by p.sort_order limit 1),
         (select array_agg(e.from_uuid order by e.i) from given e),
         (select array_agg(e.to_uuid order by e.i) from given e) into v_refusal, v_from, v_to;
  if v_refusal is not null then
    return v_refusal;
  end if;

  -- Edges from steps without parents are taken away until none is left; what cannot be taken away
  -- is a cycle. Steps that have left pending get no edge, so that they are in none.
  select array_agg(e.parent), array_agg(e.child) into v_parents, v_open
  from (select unnest(v_from) as parent, unnest(v_to) as child
        union all
        select p.workflow_step_uuid, s.workflow_step_uuid
        from tasker.workflow_steps s
        cross join lateral tasker.get_parent_steps(s.workflow_step_uuid) p
        where s.task_uuid = p_task_uuid and s.state = 'pending') e;
  while v_open is not null loop
    select array_agg(e.parent), array_agg(e.child) into v_from, v_children
    from unnest(v_parents, v_open) as e(parent, child)
    where e.parent in (select unnest(v_open));
    if cardinality(v_children) = cardinality(v_open) then
      return jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'edges',
                                'message', 'there is a cycle in them', 'task_state', v_task.state);
    end if;
    v_parents := v_from;
    v_open := v_children;
  end loop;

  v_position := tasker.get_next_step_position(p_task_uuid);
  with given as materialized (
    select u.n, u.step_uuid, u.name, n.named_step_uuid,
           n.handler_callable is null or n.wait_for is not null as is_automatic,
           p_steps -> (u.n - 1)::int -> 'inputs' as inputs
    from unnest(v_names, v_keys) with ordinality as u(name, step_uuid, n)
    join tasker.named_steps ns on ns.named_task_uuid = v_task.named_task_uuid
      and ns.name = p_steps -> (u.n - 1)::int ->> 'step'
    join tasker.named_tasks_named_steps n on n.named_step_uuid = ns.named_step_uuid),
  nodes as materialized (
    select g.name::text, g.step_uuid, (v_position + g.n - 1)::int as position, false as is_done,
           true as is_new
    from given g
    union all
    select coalesce(s.name, n.name)::text, s.workflow_step_uuid, s.step_position,
           tasker.step_ended_well(s.state), false
    from tasker.workflow_steps s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.task_uuid = p_task_uuid),
  new_edges as materialized (
    select f.step_uuid as parent, f.position as parent_position, c.step_uuid as child,
           c.position as child_position, c.is_new, f.is_done
    from jsonb_array_elements(p_edges) as e
    join nodes f on f.name = e.value ->> 'from'
    join nodes c on c.name = e.value ->> 'to'),
  counts as materialized (
    select e.child, e.is_new, count(*)::int as total,
           count(*) filter (where not e.is_done)::int as remaining
    from new_edges e
    group by e.child, e.is_new),
  children as (
    update tasker.workflow_steps s
    set total_parents = s.total_parents + c.total,
        remaining_parents = s.remaining_parents + c.remaining
    from counts c
    where s.workflow_step_uuid = c.child and not c.is_new),
  edge_rows as (
    -- Those between new steps are inserted with these.
    insert into tasker.added_step_edges (task_uuid, from_position, to_position)
    select p_task_uuid, e.parent_position, e.child_position
    from new_edges e
    where not e.is_new)
  select array_agg((g.step_uuid, p_task_uuid, g.named_step_uuid, v_position + g.n - 1, g.name,
                    array(select e.parent_position
                          from new_edges e
                          where e.child = g.step_uuid),
                    coalesce(c.remaining, 0), g.is_automatic, null, null, g.inputs,
                    -- Each new edge once, with the new step that it came with: what
                    -- check_history() holds the edges against.
                    jsonb_build_object(
                      'parents', (select coalesce(jsonb_agg(e.parent), '[]')
                                  from new_edges e
                                  where e.child = g.step_uuid),
                      'children', (select coalesce(jsonb_agg(e.child), '[]')
                                   from new_edges e
                                   where e.parent = g.step_uuid and not e.is_new)))
                     ::tasker.step_birth),
         bool_or(coalesce(c.remaining, 0) = 0) into v_births, v_is_ready
  from given g
  left join counts c on c.child = g.step_uuid;
  perform tasker.insert_steps(v_births, p_server_uuid, v_now);

  -- A task that has not been started hands them off with its roots.
  if v_is_ready and v_task.state <> 'pending' then
    v_result := tasker.evaluate_tasks(array[p_task_uuid], p_server_uuid, 0, 60, p_now);
  end if;
  return jsonb_build_object(
    'outcome', 'done', 'queued', v_result -> 'queued', 'ended', v_result -> 'ended',
    'steps', (select jsonb_agg(jsonb_build_object('name', u.name,
                                                  'step_uuid', u.step_uuid) order by u.n)
              from unnest(v_names, v_keys) with ordinality as u(name, step_uuid, n)),
    'task_state', (select t.state from tasker.tasks t where t.task_uuid = p_task_uuid));
end
$$;
comment on function tasker.add_steps(uuid, jsonb, jsonb, uuid, timestamptz) is
  'Adds steps and edges to a task that is under way, all of them or none, in the caller''s '
  'transaction.';
