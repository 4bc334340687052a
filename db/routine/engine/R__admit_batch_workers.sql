-- The steps of p_step_uuids that may be handed off as far as batches limit them: all that are not
-- workers of a batch, and of each batch as many workers as its parallelism leaves, the first in the
-- order of the array; none of a batch that is closed.
-- Locks: none; the caller holds the tasks, so that the counters of their batches stand still.
-- Source: ADR 0039.
create or replace function tasker.admit_batch_workers(p_step_uuids uuid[])
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(array_agg(g.step_uuid order by g.n), '{}')
    from (select u.step_uuid, u.n, s.batch_step_uuid,
                 row_number() over (partition by s.batch_step_uuid order by u.n) as turn
          from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
          join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid) g
    left join tasker.batches b on b.workflow_step_uuid = g.batch_step_uuid
    left join tasker.workflow_steps bs on bs.workflow_step_uuid = g.batch_step_uuid
    where g.batch_step_uuid is null
      or (bs.state in ('pending', 'error') and g.turn <= b.parallelism - b.in_flight_workers));
end
$$;
comment on function tasker.admit_batch_workers(uuid[]) is
  'The steps that the parallelism of their batches lets be handed off.';
