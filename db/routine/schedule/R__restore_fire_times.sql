-- Gives schedules that have lost it their next fire time. p_plans: array of {schedule_uuid,
-- version, next_fire_at, next_due_at}, calculated by a server from take_stalled_schedules in the
-- same transaction. A schedule that has one again, was paused or has changed since is left alone.
-- Fire times that are due already are decided by the next round of fire_schedules, within the
-- catch-up window of the schedule.
-- Returns {schedules}: how many got one. Locks: the schedules. Source: docs/guarantees.md.
create or replace function tasker.restore_fire_times(p_plans jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_restored int;
begin
  update tasker.schedules s
  set next_fire_at = p.next_fire_at, next_due_at = p.next_due_at
  from jsonb_to_recordset(p_plans)
    as p(schedule_uuid uuid, version int, next_fire_at timestamptz, next_due_at timestamptz)
  where s.schedule_uuid = p.schedule_uuid
    and s.version = p.version
    and s.next_fire_at is null
    and s.paused_at is null
    and s.deleted_at is null
    and p.next_fire_at is not null;
  get diagnostics v_restored = row_count;
  return jsonb_build_object('schedules', v_restored);
end
$$;
comment on function tasker.restore_fire_times(jsonb) is
  'Gives schedules that have lost it their next fire time.';
