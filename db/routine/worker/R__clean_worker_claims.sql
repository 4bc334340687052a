-- Deletes the claims of an external worker that have ended: completed, recovered, or taken over by
-- a later handoff. Returns how many steps the worker still holds, which is what its capacity is
-- compared with.
-- Locks: the deleted rows; the caller holds the worker's row, so that two of its requests do not
-- count at the same time.
create or replace function tasker.clean_worker_claims(p_worker_uuid uuid)
returns int
language plpgsql
set search_path = ''
as $$
begin
  delete from tasker.worker_claims c
  where c.worker_uuid = p_worker_uuid
    and not exists (select from tasker.workflow_steps s
                    where s.workflow_step_uuid = c.workflow_step_uuid
                      and s.state = 'in_progress'
                      and s.handoffs = c.handoff);
  return (select count(*)::int from tasker.worker_claims c where c.worker_uuid = p_worker_uuid);
end
$$;
comment on function tasker.clean_worker_claims(uuid) is
  'Deletes the claims of an external worker that have ended, and returns how many steps it still '
  'holds.';
