-- Approvals that do not match their waits, steps, results and events: one row per finding. Without
-- nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0044, docs/reference/invariants.md.
create or replace function tasker.find_approval_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with recursive waits as materialized (
    select w.*
    from tasker.step_waits w
    where w.kind = 'approval'
      and w.task_uuid in (select t.task_uuid
                          from tasker.tasks t
                          where t.created_at >= coalesce(p_since, '-infinity'))),
  approvals as materialized (
    select a.*, a.state in ('approved', 'rejected') as is_decided
    from tasker.approvals a
    where p_since is null
      or a.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since)),
  events as materialized (
    select e.*
    from tasker.approval_events e
    where p_since is null
      or e.task_uuid in (select t.task_uuid from tasker.tasks t where t.created_at >= p_since)),
  -- Those for whom the task of a four-eyes approval and the tasks above it were submitted, as
  -- get_initiators, for all tasks at once. Without those behind a key: keys come and go.
  above(task_uuid, above_uuid) as (
    select distinct a.task_uuid, a.task_uuid
    from approvals a
    where a.is_four_eyes
    union
    select b.task_uuid, u.above_uuid
    from above b
    join (select t.task_uuid, t.parent_task_uuid as above_uuid
          from tasker.tasks t
          where t.parent_task_uuid is not null
          union all
          select f.task_uuid, f.source_task_uuid from tasker.task_forks f) u
      on u.task_uuid = b.above_uuid),
  initiators as (
    select b.task_uuid, array_agg(distinct lower(p.name)) as names
    from above b
    join tasker.tasks t on t.task_uuid = b.above_uuid
    join tasker.task_contexts c on c.task_uuid = b.above_uuid
    cross join lateral (values (c.submitted_by), (t.initiator)) as p(name)
    where btrim(p.name) <> ''
    group by b.task_uuid),
  templates as (
    select s.workflow_step_uuid, ns.name as namespace_name, n.wait_for
    from tasker.named_tasks_named_steps n
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    join tasker.workflow_steps s on s.named_step_uuid = n.named_step_uuid
    where n.wait_for ->> 'kind' = 'approval'),
  -- What an approval became as the result of its step.
  results as materialized (
    select r.workflow_step_uuid, r.sort_key, coalesce(r.result, r.error -> 'details') as document,
           r.outcome, r.error ->> 'type' as error_type
    from tasker.workflow_step_result_audit r
    where r.outcome in ('success', 'permanent_failure')
      and coalesce(r.result, r.error -> 'details') ->> 'approval_uuid' is not null
      and r.workflow_step_uuid in (select a.workflow_step_uuid from approvals a))
  -- A decision is carried out when its task can go on; until then, or if the step ends otherwise,
  -- its wait is open or cancelled.
  select 'approval_is_that_of_its_wait',
         jsonb_build_object('approval_uuid', coalesce(a.approval_uuid, w.wait_uuid),
                            'state', a.state, 'wait_state', w.state, 'due_at', a.due_at,
                            'wait_due_at', w.due_at)
  from approvals a
  full join waits w on w.wait_uuid = a.approval_uuid
  where a.approval_uuid is null
    or w.wait_uuid is null
    or (a.task_uuid, a.workflow_step_uuid) is distinct from (w.task_uuid, w.workflow_step_uuid)
    or a.due_at is distinct from w.due_at
    or a.created_at <> w.armed_at
    or not case a.state when 'open' then w.state = 'open'
                when 'expired' then w.state in ('defaulted', 'timed_out')
                when 'cancelled' then w.state = 'cancelled'
                else w.state in ('satisfied', 'open', 'cancelled') end
  union all
  select 'approval_is_decided_once',
         jsonb_build_object('approval_uuid', coalesce(a.approval_uuid, e.approval_uuid),
                            'state', a.state, 'decided_by', a.decided_by, 'events', e.events)
  from approvals a
  full join (
    select e.approval_uuid, jsonb_agg(e.event) as events, count(*) as made, max(e.number) as last,
           count(*) filter (where e.event = 'made' and e.number = 1) as begun,
           count(*) filter (where e.event in ('approved', 'rejected', 'expired',
                                              'cancelled')) as ended,
           max(e.event::text || ' ' || coalesce(
                 case when e.event <> 'cancelled' then e.acted_by end,
                 '-') || ' ' || e.happened_at::text)
             filter (where e.event in ('approved', 'rejected', 'expired', 'cancelled')) as the_end,
           count(*) filter (where e.event = 'escalated') as escalated,
           max(e.happened_at) filter (where e.event = 'escalated') as escalated_at,
           min(e.happened_at) filter (where e.number = 1) as made_at,
           min(e.task_uuid::text) as task_uuid, max(e.task_uuid::text) as other_task_uuid
    from events e
    group by e.approval_uuid) e on e.approval_uuid = a.approval_uuid
  where a.approval_uuid is null
    or e.approval_uuid is null
    or e.made <> e.last
    or e.begun <> 1
    or e.ended <> (a.state <> 'open')::int
    or e.escalated <> (a.escalated_at is not null)::int
    or e.made_at <> a.created_at
    or e.escalated_at <> a.escalated_at
    or e.task_uuid <> a.task_uuid::text
    or e.other_task_uuid <> a.task_uuid::text
    or e.the_end is distinct from a.state::text || ' ' || coalesce(
      a.decided_by, '-') || ' ' || a.ended_at::text
  union all
  select 'decision_is_the_result_of_its_step',
         jsonb_build_object(
           'approval_uuid', coalesce(a.approval_uuid::text, r.document ->> 'approval_uuid'),
           'state', a.state, 'decided_by', a.decided_by, 'result', r.document - 'values')
  from (select a.*
        from approvals a
        join waits w on w.wait_uuid = a.approval_uuid and w.state = 'satisfied'
        join tasker.tasks t on t.task_uuid = a.task_uuid and t.erased_at is null) a
  full join (select r.*
             from results r
             where r.outcome = 'success' and r.document ->> 'decided_by' is not null
               or r.error_type = 'approval_rejected') r
    on r.workflow_step_uuid = a.workflow_step_uuid
      and r.document ->> 'approval_uuid' = a.approval_uuid::text
  where a.approval_uuid is null
    or r.workflow_step_uuid is null
    or (r.document ->> 'decided_by', (r.document ->> 'approved')::boolean, r.document -> 'values',
        r.document ->> 'comment')
      is distinct from (a.decided_by::text, a.state = 'approved', a.form_values,
                        a.decision_comment::text)
  union all
  select 'four_eyes_are_kept',
         jsonb_build_object('approval_uuid', a.approval_uuid, 'decided_by', a.decided_by,
                            'initiators', a.initiators)
  from approvals a
  where (a.is_decided
         and a.initiators && array[lower(a.decided_by),
                                   lower(regexp_replace(a.decided_by, '^(token|external):', ''))])
    or (not a.is_four_eyes and a.initiators <> '{}')
  union all
  select 'approval_is_that_of_its_template',
         jsonb_build_object('approval_uuid', a.approval_uuid, 'is_four_eyes', a.is_four_eyes,
                            'namespace', a.namespace_name, 'initiators', a.initiators,
                            'in_template', jsonb_build_array(
                              t.wait_for -> 'four_eyes', t.namespace_name),
                            'expected', i.names)
  from approvals a
  left join templates t on t.workflow_step_uuid = a.workflow_step_uuid
  left join initiators i on i.task_uuid = a.task_uuid
  where t.workflow_step_uuid is null
    or (a.is_four_eyes, a.namespace_name)
      is distinct from (coalesce((t.wait_for ->> 'four_eyes')::boolean, false), t.namespace_name)
    or a.is_four_eyes and not a.initiators @> coalesce(i.names, '{}')
    -- A claim lapses when the template says, months and days in UTC.
    or a.claim_ends_at <> (a.claimed_at at time zone 'UTC' + coalesce(
                             t.wait_for ->> 'claim_for', 'P1D')::interval) at time zone 'UTC'
    or (a.claim_ends_at is null) <> (a.claimed_at is null)
  union all
  select 'claim_has_its_event',
         jsonb_build_object('approval_uuid', a.approval_uuid, 'claimed_by', a.claimed_by,
                            'event', e.event, 'acted_by', e.acted_by, 'given_to', e.given_to)
  from approvals a
  left join (select distinct on (e.approval_uuid) e.*
             from events e
             where e.event in ('claimed', 'unclaimed', 'lapsed', 'delegated', 'escalated')
             order by e.approval_uuid, e.number desc) e on e.approval_uuid = a.approval_uuid
  where (a.claimed_by, a.assigned_by, a.claimed_at)
      is distinct from (case e.event when 'claimed' then e.acted_by
                             when 'delegated' then e.given_to end,
                        case when e.event = 'delegated' then e.acted_by end,
                        case when e.event in ('claimed', 'delegated') then e.happened_at end)
  union all
  -- A claim that is over lapses at that time, unless its task is paused or blocked or its
  -- processing fails.
  select 'claim_lapses_no_later_than_the_wakeup',
         jsonb_build_object('approval_uuid', a.approval_uuid, 'claim_ends_at', a.claim_ends_at,
                            'wake_at', w.wake_at)
  from approvals a
  join tasker.task_wakeups w on w.task_uuid = a.task_uuid
  join tasker.tasks t on t.task_uuid = a.task_uuid
  where a.state = 'open'
    and a.claim_ends_at > clock_timestamp()
    and w.wake_at > a.claim_ends_at
    and t.named_task_uuid not in (select p.named_task_uuid from tasker.template_pauses p)
    and t.task_uuid not in (select f.task_uuid from tasker.task_faults f)
$$;
comment on function tasker.find_approval_violations(timestamptz) is
  'Approvals that do not match their waits, steps, results and events: one row per finding.';
