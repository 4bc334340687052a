-- A server says that it lives, how it is, and which steps it still runs: renews its row in servers and the leases of those
-- steps in one statement each, by the database's clock. Then it looks whether other servers have fallen silent, and which
-- handlers others have that it lacks. A lease that has more than two thirds of its time left is not renewed.
-- p_steps: array of {step_uuid, handoff}. p_report: {state: healthy | degraded | draining | stopped, heartbeat_seconds,
-- namespaces: [..] | null for all, handlers: [..] | null for any, resolvers: [..] | null for any, problems: [..]}; a server that stopped stays so.
-- Returns {lost: [step uuids that are no longer its], cancel_requested: [step uuids whose task is being cancelled and whose
-- handler should stop], servers: how many are alive, lost_servers: [uuids], expired_steps: how many leases of theirs were ended,
-- next_silence_in_ms: when the next server counts as lost unless it is heard before, takes_changed: whether it may claim other
-- steps than before}.
-- Locks: the server's row, then the steps (skip locked). Source: design section 3, attune.md W6, E2.
create or replace function tasker.heartbeat(
  p_server_uuid   uuid,
  p_name          text,
  p_roles         text,
  p_capacity      int,
  p_running       int,
  p_steps         jsonb       default '[]',
  p_lease_seconds int         default 60,
  p_now           timestamptz default null,
  p_report        jsonb       default '{}')
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_period  int := coalesce((p_report ->> 'heartbeat_seconds')::int, 2);
  v_present timestamptz;
  v_new     boolean;
  v_changed boolean;
  v_silent  record;
begin
  insert into tasker.servers as s
    (server_uuid, name, roles, lease_expires_at, capacity, running, state, heartbeat_at, heartbeat_seconds, present_since,
     namespaces, handlers, resolvers, problems, registered_at)
  values
    (p_server_uuid, p_name, string_to_array(p_roles, ','), v_now + 4 * v_period * interval '1 second', p_capacity, p_running,
     coalesce((p_report ->> 'state')::tasker.server_state, 'healthy'), v_now, v_period, v_now,
     case when jsonb_typeof(p_report -> 'namespaces') = 'array' then array(select jsonb_array_elements_text(p_report -> 'namespaces')) end,
     case when jsonb_typeof(p_report -> 'handlers') = 'array' then array(select jsonb_array_elements_text(p_report -> 'handlers')) end,
     case when jsonb_typeof(p_report -> 'resolvers') = 'array' then array(select jsonb_array_elements_text(p_report -> 'resolvers')) end,
     array(select jsonb_array_elements_text(coalesce(p_report -> 'problems', '[]'))), v_now)
  on conflict (server_uuid) do update
    set lease_expires_at = excluded.lease_expires_at, capacity = excluded.capacity, running = excluded.running,
        roles = excluded.roles, heartbeat_at = excluded.heartbeat_at, heartbeat_seconds = excluded.heartbeat_seconds,
        state = case when s.state = 'stopped' then s.state else excluded.state end,
        present_since = case when s.heartbeat_at < v_now - 2 * v_period * interval '1 second' then v_now else s.present_since end,
        lost_at = null, namespaces = excluded.namespaces, handlers = excluded.handlers, resolvers = excluded.resolvers,
        problems = excluded.problems
  returning present_since, present_since <= registered_at into v_present, v_new;
  delete from tasker.servers s where s.heartbeat_at < v_now - interval '1 day';

  if jsonb_array_length(p_steps) > 0 then
    with due as (
      select s.workflow_step_uuid
      from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
      join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
      where s.state = 'in_progress' and s.handoffs = r.handoff
        and s.lease_expires_at <= v_now + p_lease_seconds * interval '1 second' * 2 / 3
      -- A step that somebody has locked is just being submitted or claimed; to wait for that could deadlock with a batch.
      for no key update of s skip locked)
    update tasker.workflow_steps s set lease_expires_at = v_now + p_lease_seconds * interval '1 second'
    from due d where s.workflow_step_uuid = d.workflow_step_uuid and s.state = 'in_progress';
  end if;
  v_silent := tasker.expire_lost_servers(v_present, v_new, v_now);
  v_changed := tasker.refresh_handlers_elsewhere(p_server_uuid, p_now => v_now);

  return jsonb_build_object(
    'lost', (select coalesce(jsonb_agg(r.step_uuid), '[]')
             from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
             where not exists (select from tasker.workflow_steps s
                               where s.workflow_step_uuid = r.step_uuid and s.state = 'in_progress' and s.handoffs = r.handoff)),
    'cancel_requested', (select coalesce(jsonb_agg(s.workflow_step_uuid), '[]')
                         from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
                         join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
                         join tasker.tasks t on t.task_uuid = s.task_uuid
                         where s.state = 'in_progress' and s.handoffs = r.handoff and t.cancel_requested_at is not null
                           and t.cancel_policy = 'cancel_running'),
    'servers', tasker.count_servers(v_now),
    'lost_servers', to_jsonb(v_silent.o_servers),
    'expired_steps', v_silent.o_steps,
    'next_silence_in_ms', v_silent.o_next_ms,
    'takes_changed', v_changed);
end
$$;
comment on function tasker.heartbeat(uuid, text, text, int, int, jsonb, int, timestamptz, jsonb) is
  'A server says that it lives, how it is, and which steps it still runs.';
