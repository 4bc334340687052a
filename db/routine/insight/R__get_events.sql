-- The events of the stream: the moves of tasks and steps of the transactions from p_from up to but
-- excluding until, which is p_until or, when that is null, the oldest running transaction, but at
-- most p_span further than p_from. So the reply is complete in any order of commits, and the next
-- call begins at until.
-- Events are in the order of their time, uuid and sort_key. With p_after_at, p_after_uuid,
-- p_after_sort_key only the later
-- ones: for a client that was cut off within such a reply and has the id of the last event, which
-- names from, until, microseconds, uuid and sort_key.
-- p_task_uuids: only these tasks; null for all. p_from 0 is the beginning of history, which is for
-- single tasks.
-- Returns {from, until, bound, horizon, events: [{id, event, data}]}: bound is the oldest running
-- transaction, horizon the first that had not begun.
-- A row of a later transaction than any that has begun comes from another database (a dump); it
-- counts as the oldest. Reads only, by the summaries of xact_id or task_uuid. Source: ADR 0019.
create or replace function tasker.get_events(
  p_from           bigint,
  p_until          bigint      default null,
  p_after_at       timestamptz default null,
  p_after_uuid     uuid        default null,
  p_after_sort_key int         default null,
  p_task_uuids     uuid[]      default null,
  p_span           bigint      default null)
returns json
language plpgsql stable
set search_path = '' set jit = off set plan_cache_mode = force_custom_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_bound   bigint := pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint;
  v_horizon bigint := pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint;
  v_until   bigint := least(v_bound, coalesce(p_until, p_from + p_span, v_bound));
  v_foreign bigint := case when p_from = 0 then v_horizon else 9223372036854775807 end;
  v_events  json;
begin
  if v_until > p_from then
    with moves as (
      select 'task' as kind, h.task_uuid as mover_uuid, h.task_uuid, h.sort_key, h.from_state::text,
             h.to_state::text, h.actor, null::int as attempt, h.created_at
      from tasker.task_transitions h
      where ((h.xact_id >= p_from and h.xact_id < v_until) or h.xact_id >= v_foreign)
        and (p_task_uuids is null or h.task_uuid = any (p_task_uuids))
      union all
      select 'step', h.workflow_step_uuid, h.task_uuid, h.sort_key, h.from_state::text,
             h.to_state::text, h.actor, h.attempt, h.created_at
      from tasker.workflow_step_transitions h
      where ((h.xact_id >= p_from and h.xact_id < v_until) or h.xact_id >= v_foreign)
        and (p_task_uuids is null or h.task_uuid = any (p_task_uuids))),
    left_over as materialized (
      select m.*
      from moves m
      where p_after_at is null
        or (m.created_at, m.mover_uuid, m.sort_key) > (p_after_at, p_after_uuid, p_after_sort_key))
    select json_agg(json_build_object(
                      'id', p_from || '-' || v_until || '-' || (
                        extract(epoch from m.created_at)
                        * 1000000)::bigint || '-' || m.mover_uuid || '-' || m.sort_key,
                      'event', m.kind,
                      'data', json_build_object(
                        'task_uuid', m.task_uuid, 'namespace', ns.name, 'name', nt.name,
                        'version', nt.version, 'correlation_id', t.correlation_id,
                        'step_uuid', s.workflow_step_uuid, 'step', coalesce(s.name, n.name),
                        'attempt', m.attempt, 'from_state', m.from_state, 'to_state', m.to_state,
                        'actor', m.actor, 'sort_key', m.sort_key,
                        'at', m.created_at)) order by m.created_at,
                    m.mover_uuid, m.sort_key) into v_events
    from left_over m
    left join tasker.tasks t on t.task_uuid = m.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.workflow_steps s on m.kind = 'step' and s.workflow_step_uuid = m.mover_uuid
    left join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid;
  end if;
  return json_build_object('from', p_from, 'until', greatest(p_from, v_until), 'bound', v_bound,
                           'horizon', v_horizon, 'events', coalesce(v_events, '[]'));
end
$$;
comment on function tasker.get_events(bigint, bigint, timestamptz, uuid, int, uuid[], bigint) is
  'The events of the stream: moves of tasks and steps by transactions that have ended.';
