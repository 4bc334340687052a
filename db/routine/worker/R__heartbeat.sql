-- Records the heartbeat of a server: renews its row in servers, the row of its worker (which has
-- the server's key) in workers, and the leases of the steps that it still runs, by the database's
-- clock. Then checks whether other servers and external workers are lost.
-- p_steps: array of {step_uuid, handoff}. p_report: {state: healthy | degraded | draining |
-- stopped, heartbeat_seconds,
-- namespaces: [..] | null for all, handlers: [..] | null for any, resolvers: [..] | null for any,
-- problems: [..]}; a stopped server stays stopped.
-- Returns as renew_leases, with {servers: how many are alive, lost_servers: [uuids of servers and
-- external workers],
-- expired_steps: how many of their leases it ended, next_silence_in_ms: in how many ms the next
-- server counts as lost unless its heartbeat arrives before, takes_changed: whether this server may
-- claim other steps than before, installation: counts the versions that were installed here}.
-- Locks: the server's row, then its worker's, then the steps (skip locked).
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
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_period  int := coalesce((p_report ->> 'heartbeat_seconds')::int, 2);
  v_present timestamptz;
  v_new     boolean;
  v_state   tasker.server_state;
  v_changed boolean := false;
  v_renewed jsonb;
  v_silent  record;
begin
  insert into tasker.servers as s
    (server_uuid, name, roles, lease_expires_at, state, heartbeat_at, heartbeat_seconds,
     present_since, problems, registered_at)
  values (p_server_uuid, p_name, string_to_array(p_roles, ','),
          v_now + 4 * v_period * interval '1 second',
          coalesce((p_report ->> 'state')::tasker.server_state, 'healthy'), v_now, v_period, v_now,
          array(select jsonb_array_elements_text(coalesce(p_report -> 'problems', '[]'))), v_now)
  on conflict (server_uuid) do update
    set lease_expires_at = excluded.lease_expires_at, roles = excluded.roles,
        heartbeat_at = excluded.heartbeat_at,
        heartbeat_seconds = excluded.heartbeat_seconds,
        state = case when s.state = 'stopped' then s.state else excluded.state end,
        present_since
          = case when s.heartbeat_at < v_now - 2 * v_period * interval '1 second' then v_now
                 else s.present_since end,
        lost_at = null, problems = excluded.problems
  returning present_since, present_since <= registered_at, s.state into v_present, v_new, v_state;
  -- A foreign key deletes their workers with them.
  delete from tasker.servers s where s.heartbeat_at < v_now - interval '1 day';
  delete from tasker.workers w
  where w.server_uuid is null and w.heartbeat_at < v_now - interval '1 day';

  -- A server that never had the worker role has no worker; one whose role is paused keeps it.
  if 'worker' = any (string_to_array(p_roles, ','))
     or exists (select from tasker.workers w where w.worker_uuid = p_server_uuid) then
    v_changed := tasker.declare_worker(
      p_server_uuid, p_server_uuid, p_name,
      case when v_state in ('healthy', 'degraded')
             and not 'worker' = any (string_to_array(p_roles, ',')) then 'paused'
           else v_state::text end::tasker.worker_state,
      case when jsonb_typeof(p_report -> 'namespaces') = 'array' then
             array(select jsonb_array_elements_text(p_report -> 'namespaces')) end,
      case when jsonb_typeof(p_report -> 'handlers') = 'array' then
             array(select jsonb_array_elements_text(p_report -> 'handlers')) end,
      case when jsonb_typeof(p_report -> 'resolvers') = 'array' then
             array(select jsonb_array_elements_text(p_report -> 'resolvers')) end,
      p_capacity, p_running, v_period, false, v_now);
  end if;
  v_renewed := tasker.renew_leases(p_steps, p_lease_seconds, v_now);
  v_silent := tasker.expire_lost_servers(v_present, v_new, v_now);

  return v_renewed || jsonb_build_object(
    'servers', tasker.count_servers(v_now),
    'lost_servers', to_jsonb(v_silent.o_servers),
    'expired_steps', v_silent.o_steps,
    'next_silence_in_ms', v_silent.o_next_ms,
    'takes_changed', v_changed,
    'installation', (select coalesce(max(i.installation), 0) from tasker.installations i));
end
$$;
comment on function tasker.heartbeat(uuid, text, text, int, int, jsonb, int, timestamptz, jsonb) is
  'Records the heartbeat of a server and renews the leases of the steps that it still runs.';
