-- Why an action on a schedule would change nothing now: the rule of change_schedule. Null when it
-- would, otherwise the reply already_done.
-- Locks: none; change_schedule holds the schedule. Source: ADR 0045, ADR 0058.
create or replace function tasker.judge_schedule_action(p_schedule tasker.schedules, p_action text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('outcome', 'already_done', 'schedule_uuid', p_schedule.schedule_uuid,
                            'version', p_schedule.version)
  where p_action = 'pause' and p_schedule.paused_at is not null
    or p_action = 'resume' and p_schedule.paused_at is null
$$;
comment on function tasker.judge_schedule_action(tasker.schedules, text) is
  'Why an action on a schedule would change nothing now: the rule of change_schedule.';
