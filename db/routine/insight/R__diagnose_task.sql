-- Why a task is blocked or waiting, in one sentence, as explain_tasks has it. Null for a task that
-- has ended or that does not exist, except that one that has ended because of
-- lifecycle.max_duration has that sentence, and a cancelled one whose child tasks have not all
-- ended says so.
-- Locks: none. Source: ADR 0016.
create or replace function tasker.diagnose_task(p_task_uuid uuid)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return tasker.explain_tasks(array[p_task_uuid]) ->> p_task_uuid::text;
end
$$;
comment on function tasker.diagnose_task(uuid) is
  'Why a task is blocked or waiting, in one sentence; null when it does not exist or has ended '
  'otherwise than by its time limit.';
