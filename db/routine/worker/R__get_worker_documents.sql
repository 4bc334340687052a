-- The workers as the REST interface shows them, healthiest first: {workers: [..], next: null}, as
-- get_workers. With a uuid: that worker alone, with the steps that it claimed over REST and still
-- runs as claims; null when there is none.
-- allowed_actions: what would change its state now, by the rule of drain_worker.
-- Locks: none.
create or replace function tasker.get_worker_documents(
  p_worker_uuid uuid default null, p_now timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  if p_worker_uuid is null then
    return jsonb_build_object(
      'next', null,
      'workers', (
        select coalesce(jsonb_agg(to_jsonb(
                                    w) || tasker.get_allowed_worker_actions(
                                    w.server_uuid, w.reported_status, w.claimed) order by w.rank,
                                  w.registered_at),
                        '[]')
        from tasker.get_workers(p_now) w));
  end if;
  return (
    select to_jsonb(w)
           || tasker.get_allowed_worker_actions(w.server_uuid, w.reported_status, w.claimed)
           || jsonb_build_object(
             'claims', (
               select coalesce(jsonb_agg(
                                 jsonb_build_object(
                                   'step_uuid', c.workflow_step_uuid, 'task_uuid', c.task_uuid,
                                   'handoff', c.handoff, 'claimed_at', c.claimed_at,
                                   'acknowledged_at', c.acknowledged_at,
                                   'lease_expires_at', s.lease_expires_at) order by c.claimed_at,
                                 c.workflow_step_uuid),
                               '[]')
               from tasker.worker_claims c
               join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
                 and s.state = 'in_progress'
                 and s.handoffs = c.handoff
               where c.worker_uuid = p_worker_uuid))
    from tasker.get_workers(p_now) w
    where w.worker_uuid = p_worker_uuid);
end
$$;
comment on function tasker.get_worker_documents(uuid, timestamptz) is
  'The workers as the REST interface shows them.';
