-- Makes a new task from an existing one, which stays as it is: same template and version, same
-- context unless p_data has another. The steps that p_data.from names run again, with all that
-- follow from them, and all that the source has not finished; the others are done from the start,
-- with the source's results.
-- p_data: from, an array of names or uuids of steps of the source; context; idempotency_key: a
-- second request with it is the first task; priority, tags, initiator as a task request has them,
-- each the source's unless given.
-- The fork has an identity of its own, so that a template whose tasks are unique allows it; its
-- parent_correlation_id is the correlation id of its source. A batch is copied without its workers,
-- with what the batch step returned; where that has not the workers' results, because they are
-- many, steps that read them cannot run again without the batch. A batch that was not closed starts
-- again with its batchable step. The source may be running.
-- Returns {outcome, task_uuid, state, copied_steps, queued, ended}: outcome is done, already (the
-- key's task is a fork of the same source) or refused, then with code, message, field?:
-- task-not-found, invalid-request, fork-not-possible, idempotency-key-taken. Does not validate a
-- context against input_schema; p_context_checked says that the caller has, and a source's own
-- context is as valid as the source found it.
-- Locks: the source, shared; then as submit_tasks. Errors: TK007 as check_action. Source: ADR 0048.
create or replace function tasker.fork_task(
  p_task_uuid       uuid,
  p_by              text,
  p_reason          text,
  p_data            jsonb       default '{}',
  p_context_checked boolean     default false,
  p_server_uuid     uuid        default null,
  p_now             timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_source  tasker.tasks;
  v_key     text;
  v_from    uuid[];
  v_rerun   uuid[];
  v_refusal jsonb;
  v_verdict jsonb;
  v_task    uuid;
  v_copied  int;
  v_result  jsonb := '{"queued": [], "ended": []}';
  v_caller  text := coalesce(tasker.get_caller(), p_by);
begin
  perform tasker.check_action('fork', array['fork'], p_by, p_reason);
  select t.* into v_source from tasker.tasks t where t.task_uuid = p_task_uuid for share;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  p_data := coalesce(p_data, '{}');
  select jsonb_build_object('field', c.field, 'message', c.message) into v_refusal
  from (
    select 0, 'data', 'must be an object'
    where jsonb_typeof(p_data) <> 'object'
    union all
    select 1, k, 'is unknown; known are from, context, idempotency_key, initiator, priority, tags'
    from jsonb_object_keys(case when jsonb_typeof(p_data) = 'object' then p_data else '{}' end) k
    where k not in ('from', 'context', 'idempotency_key', 'initiator', 'priority', 'tags')
    union all
    select 2, 'from', 'must be an array of 1 to 1000 names of steps'
    where not coalesce(jsonb_typeof(p_data -> 'from') = 'array'
                         and jsonb_array_length(p_data -> 'from') between 1 and 1000
                         and not jsonb_path_exists(
                           p_data -> 'from', 'strict $[*] ? (@.type() != "string")'),
                       false)
    union all
    select 3, 'context', 'must be an object'
    where jsonb_typeof(p_data -> 'context') <> 'object'
    union all
    select 4, 'idempotency_key', 'must be a text of 1 to 255 characters'
    where jsonb_typeof(p_data -> 'idempotency_key') <> 'string'
      or length(p_data ->> 'idempotency_key') not between 1 and 255
    union all
    select 5, 'priority', 'must be a whole number between -100 and 100'
    where p_data ? 'priority'
      and not coalesce(jsonb_path_exists(p_data,
                                         'strict $.priority ? (@.type() == "number" && @ >= -100 '
                                         '&& @ <= 100 && @ == @.floor())',
                                         silent => true),
                       false)) as c(sort_order, field, message)
  order by c.sort_order limit 1;
  if v_refusal is null then
    select array_agg(s.workflow_step_uuid),
           min(case when s.workflow_step_uuid is null then
                      jsonb_build_object('field', format('from[%s]', f.ordinality - 1),
                                         'message', format('the task has no step %s',
                                                           left(f.value, 128)))::text end)::jsonb
      into v_from, v_refusal
    from jsonb_array_elements_text(p_data -> 'from') with ordinality as f(value, ordinality)
    left join (tasker.workflow_steps s join tasker.named_steps n on n.named_step_uuid
               = s.named_step_uuid) on s.task_uuid = p_task_uuid
      and (coalesce(s.name, n.name) = f.value or s.workflow_step_uuid::text = lower(f.value));
  end if;
  if v_refusal is not null then
    return v_refusal || jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'state', v_source.state);
  end if;

  -- A worker of a batch stands for its batch.
  with recursive below(step_uuid) as (
    select distinct coalesce(b.batchable_step_uuid, s.workflow_step_uuid)
    from tasker.workflow_steps s
    left join tasker.batches b
      on b.workflow_step_uuid = coalesce(s.batch_step_uuid, s.workflow_step_uuid)
    where s.workflow_step_uuid = any (v_from)
    union
    select c.workflow_step_uuid
    from below b
    cross join lateral tasker.get_child_steps(b.step_uuid) c)
  select array_agg(b.step_uuid) into v_rerun from below b;
  -- A step that was not created may be, if a decision is still to come.
  v_refusal := coalesce(
    tasker.judge_fork(p_task_uuid),
    (select jsonb_build_object('field', 'from',
                               'message', format(
                                 'step %s reads what the many workers of batch %s returned, '
                                 'which is not copied; fork from %s',
                                 cn.name, bn.name, an.name))
     from tasker.batches b
     join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
     join tasker.named_steps bn on bn.named_step_uuid = s.named_step_uuid
     join tasker.workflow_steps a on a.workflow_step_uuid = b.batchable_step_uuid
     join tasker.named_steps an on an.named_step_uuid = a.named_step_uuid
     join tasker.named_tasks_named_steps n on n.named_task_uuid = v_source.named_task_uuid
       and s.step_position = any (n.parent_positions)
     join tasker.named_steps cn on cn.named_step_uuid = n.named_step_uuid
     left join tasker.workflow_steps c on c.task_uuid = p_task_uuid
       and c.step_position = n.step_position
       and c.name is null
     where b.task_uuid = p_task_uuid
       and b.closed_at is not null
       and b.workflow_step_uuid <> all (v_rerun)
       and not exists (select from tasker.workflow_step_result_audit r
                       where r.workflow_step_uuid = b.workflow_step_uuid
                         and r.sort_key = s.result_sort_key
                         and coalesce(r.result ? 'results', true))
       and case when c.workflow_step_uuid is null then
                  exists (select from tasker.workflow_steps d
                          where d.task_uuid = p_task_uuid
                            and d.is_decision
                            and (d.workflow_step_uuid = any (v_rerun)
                                 or not tasker.step_ended_well(d.state)))
                else c.workflow_step_uuid = any (v_rerun)
                  or not tasker.step_ended_well(c.state) end
     order by s.step_position, n.step_position limit 1));
  if v_refusal is not null then
    return v_refusal || jsonb_build_object(
      'outcome', 'refused', 'code', 'fork-not-possible', 'state', v_source.state);
  end if;

  v_key := coalesce(p_data ->> 'idempotency_key',
                    case
                      when nt.identity_strategy <> 'always_unique' then 'fork-'
                        || tasker.uuid_v7() end) from tasker.named_tasks nt where nt.named_task_uuid
    = v_source.named_task_uuid;
  select tasker.submit_tasks(
           jsonb_build_array(
             jsonb_strip_nulls(
               jsonb_build_object(
                 'namespace', ns.name, 'name', nt.name, 'version', nt.version,
                 'source_system', v_source.source_system, 'idempotency_key', v_key,
                 'reason', p_reason, 'parent_correlation_id', v_source.correlation_id,
                 'trace_parent', c.trace_parent, 'submitted_by', v_caller,
                 'initiator', coalesce(p_data -> 'initiator', to_jsonb(v_source.initiator)),
                 'priority', coalesce(p_data -> 'priority', to_jsonb(v_source.priority)),
                 'tags', coalesce(p_data -> 'tags', v_source.tags)))
             || jsonb_build_object('context', coalesce(p_data -> 'context', c.context))),
           p_server_uuid, p_start => false, p_now => v_now,
           p_context_checked => p_context_checked
             or (not p_data ? 'context' and v_source.context_checked)) #> '{verdicts,0}'
    into v_verdict
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  join tasker.task_contexts c on c.task_uuid = p_task_uuid
  where nt.named_task_uuid = v_source.named_task_uuid;
  v_task := (v_verdict ->> 'task_uuid')::uuid;
  if v_verdict ->> 'verdict' = 'duplicate' then
    return (
      select case when f.source_task_uuid = p_task_uuid then
                    jsonb_build_object('outcome', 'already', 'copied_steps', f.copied_steps)
                  else jsonb_build_object('outcome', 'refused', 'code', 'idempotency-key-taken',
                                          'field', 'idempotency_key',
                                          'message', 'another request with this key has made '
                                                     'a task that is no fork of this one') end
             || jsonb_build_object('task_uuid', v_task, 'state', v_verdict -> 'state') || v_result
      from (select) one
      left join tasker.task_forks f on f.task_uuid = v_task);
  elsif v_verdict ->> 'verdict' <> 'created' then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'field', v_verdict -> 'field',
      'message', v_verdict -> 'message', 'state', v_source.state);
  end if;

  v_copied := tasker.copy_finished_steps(p_task_uuid, v_task, v_rerun,
    jsonb_build_object('action', 'fork', 'by', v_caller, 'reason', p_reason), p_server_uuid, v_now);
  insert into tasker.task_forks (task_uuid, source_task_uuid, forked_at, from_steps, copied_steps)
  select v_task, p_task_uuid, v_now,
         array(select coalesce(s.name, n.name)
               from unnest(v_from) with ordinality as u(step_uuid, n)
               join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
               join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
               order by u.n),
         v_copied;
  insert into tasker.operator_actions (acted_at, action, acted_by, reason, task_uuid, details)
  values (v_now, 'fork', p_by, p_reason, v_task,
          jsonb_build_object('source_task_uuid', p_task_uuid, 'from', p_data -> 'from')),
         (v_now, 'forked', p_by, p_reason, p_task_uuid,
          jsonb_build_object('fork_task_uuid', v_task, 'from', p_data -> 'from'));
  -- A task under a concurrency policy is started by an orchestrator, which asks for its slots in a
  -- transaction of its own.
  if not v_source.is_limited then
    v_result := tasker.evaluate_tasks(array[v_task], p_server_uuid, 0, 60, p_now);
  end if;
  return jsonb_build_object('outcome', 'done', 'task_uuid', v_task, 'copied_steps', v_copied,
                            'queued', v_result -> 'queued', 'ended', v_result -> 'ended')
    || (select jsonb_build_object('state', t.state) from tasker.tasks t where t.task_uuid = v_task);
end
$$;
comment on function tasker.fork_task(uuid, text, text, jsonb, boolean, uuid, timestamptz) is
  'Makes a new task from an existing one that runs again from chosen steps on.';
