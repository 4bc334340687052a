-- A server says that it lives and which steps it still runs: renews its row in servers and the leases of those steps in
-- one statement each, by the database's clock.
-- p_steps: array of {step_uuid, attempt}. Returns {lost: [step uuids that are no longer its], cancel_requested: [step
-- uuids whose task is being cancelled and whose handler should stop], servers: how many are alive}.
-- Locks: the server's row, then the steps (skip locked). Source: design section 3, attune.md W6. Called by the worker.
create or replace function tasker.heartbeat(
  p_server_uuid   uuid,
  p_name          text,
  p_roles         text,
  p_capacity      int,
  p_running       int,
  p_steps         jsonb       default '[]',
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_renewed uuid[];
begin
  insert into tasker.servers as s (server_uuid, name, roles, lease_expires_at, capacity, running)
  values (p_server_uuid, p_name, string_to_array(p_roles, ','), v_now + p_lease_seconds * interval '1 second', p_capacity, p_running)
  on conflict (server_uuid) do update
    set lease_expires_at = excluded.lease_expires_at, capacity = excluded.capacity, running = excluded.running, roles = excluded.roles;
  delete from tasker.servers s where s.lease_expires_at < v_now - interval '1 day';
  if jsonb_array_length(p_steps) = 0 then
    return jsonb_build_object('lost', '[]'::jsonb, 'cancel_requested', '[]'::jsonb, 'servers', tasker.count_servers(v_now));
  end if;

  with held as (
    select s.workflow_step_uuid
    from jsonb_to_recordset(p_steps) as r(step_uuid uuid, attempt int)
    join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
    where s.state = 'in_progress' and s.attempts = r.attempt
    -- A step that somebody has locked is just being handed back or claimed; to wait for that could deadlock with a batch.
    for no key update of s skip locked),
  renewed as (
    update tasker.workflow_steps s set lease_expires_at = v_now + p_lease_seconds * interval '1 second'
    from held h where s.workflow_step_uuid = h.workflow_step_uuid and s.state = 'in_progress'
    returning s.workflow_step_uuid)
  select coalesce(array_agg(r.workflow_step_uuid), '{}') into v_renewed from renewed r;

  return jsonb_build_object(
    'lost', (select coalesce(jsonb_agg(r.step_uuid), '[]')
             from jsonb_to_recordset(p_steps) as r(step_uuid uuid, attempt int)
             where not exists (select from tasker.workflow_steps s
                               where s.workflow_step_uuid = r.step_uuid and s.state = 'in_progress' and s.attempts = r.attempt)),
    'cancel_requested', (select coalesce(jsonb_agg(s.workflow_step_uuid), '[]')
                         from tasker.workflow_steps s join tasker.tasks t on t.task_uuid = s.task_uuid
                         where s.workflow_step_uuid = any (v_renewed) and t.cancel_requested_at is not null
                           and t.cancel_policy = 'cancel_running'),
    'servers', tasker.count_servers(v_now));
end
$$;
comment on function tasker.heartbeat(uuid, text, text, int, int, jsonb, int, timestamptz) is
  'A server says that it lives and which steps it still runs.';
