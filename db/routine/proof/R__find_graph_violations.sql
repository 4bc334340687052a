-- Tasks and steps that differ from their template: one row per finding. This function checks that
-- steps count the edges of their template; find_reference_violations checks the edges that were
-- added. An added step has a name of its own and the settings of its template's step. Without
-- nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_graph_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with added as (
    select s.task_uuid, count(*)::int as steps
    from tasker.workflow_steps s
    left join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
      and n.growth_rank is not null
    where s.created_at >= coalesce(p_since, '-infinity')
      and (s.name is not null or n.growth_rank is not null)
    group by s.task_uuid),
  added_parents as (
    select e.task_uuid, e.to_position, count(*)::int as parents
    from tasker.added_step_edges e
    group by e.task_uuid, e.to_position)
  select v.invariant,
         jsonb_build_object('step_uuid', s.workflow_step_uuid,
                            'task_uuid', s.task_uuid) || v.example
  from tasker.tasks t
  join tasker.workflow_steps s on s.task_uuid = t.task_uuid
  left join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  left join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join added_parents ap on ap.task_uuid = s.task_uuid and ap.to_position = s.step_position
  left join tasker.named_steps other on other.named_task_uuid = t.named_task_uuid
    and other.name = s.name
  -- That of a batch which undoes another one.
  left join tasker.batches ub on ub.workflow_step_uuid = s.workflow_step_uuid
    and s.compensates_step_uuid is not null
  cross join lateral (
    select 'step_is_one_of_its_template',
           jsonb_build_object('step_position', s.step_position, 'in_template', n.step_position,
                              'name', ns.name)
    where (n.named_task_uuid,
           ns.named_task_uuid) is distinct from (t.named_task_uuid, t.named_task_uuid)
      or case when s.name is null then n.step_position is distinct from s.step_position
              else coalesce(s.step_position <= nt.total_steps, true) end
    union all
    select 'added_step_has_a_name_of_its_own', jsonb_build_object('name', s.name)
    where other.named_step_uuid is not null and s.compensates_step_uuid is null
    union all
    select 'task_has_the_edges_of_its_template',
           jsonb_build_object('total_parents', s.total_parents,
                              'in_template', cardinality(n.parent_positions), 'added', ap.parents)
    where s.name is null
      and n.growth_rank is null
      and s.total_parents <> cardinality(n.parent_positions) + coalesce(ap.parents, 0)
    union all
    select 'task_keeps_the_settings_of_its_template',
           jsonb_build_object('max_attempts', s.max_attempts, 'retryable', s.retryable,
                              'in_template', jsonb_build_array(
                                n.default_max_attempts, n.default_retryable))
    where s.retryable <> n.default_retryable
      or s.is_limited <> t.is_limited
      or s.is_decision <> (n.step_type = 'decision')
      or s.is_automatic <> (s.batch_step_uuid is null
                            and (n.handler_callable is null
                                 or n.wait_for is not null
                                 or n.step_type = 'batch_worker'
                                 or ub.workflow_step_uuid is not null))
      or coalesce(s.is_batchable, false) <> (n.step_type = 'batchable')
      or coalesce(s.publishes_events, false) <> (n.events is not null)
      or s.max_attempts <> n.default_max_attempts
    union all
    select 'attempts_stay_within_the_limit',
           jsonb_build_object('attempts', s.attempts,
                              'attempts_before_reset', s.attempts_before_reset,
                              'max_attempts', s.max_attempts)
    where s.attempts - s.attempts_before_reset > greatest(s.max_attempts, 1)
    union all
    select 'attempts_were_handed_off',
           jsonb_build_object('handoffs', s.handoffs, 'attempts', s.attempts)
    where s.attempts > s.handoffs) as v(invariant, example)
  where t.created_at >= coalesce(p_since, '-infinity')
  union all
  select 'task_keeps_the_settings_of_its_template',
         jsonb_build_object('task_uuid', t.task_uuid, 'total_steps', t.total_steps)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join added a on a.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
    and (t.total_steps, t.continue_on_error, t.is_limited, coalesce(t.publishes_events, false),
         coalesce(t.has_output, false))
      is distinct from (
        case when t.compensates_task_uuid is null then nt.initial_steps else 0 end
          + coalesce(a.steps, 0),
        nt.continue_on_error or t.compensation is not null, nt.is_limited,
        coalesce(nt.published_lifecycle ? 'tasks' and t.compensates_task_uuid is null, false),
        nt.output is not null and t.compensates_task_uuid is null)
$$;
comment on function tasker.find_graph_violations(timestamptz) is
  'Tasks and steps that differ from their template: one row per finding.';
