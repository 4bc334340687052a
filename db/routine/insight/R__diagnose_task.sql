-- Why a task is blocked or waiting, in one sentence: the step of explain_waiting that matters most, what failed before what
-- waits, and how many others there are. Null for a task that has ended or that does not exist, except that one that has ended because of
-- lifecycle.max_duration has that sentence. It names neither errors nor
-- values of contexts, so every caller that may read the task may read it.
-- Locks: none. Source: ADR 0016.
create or replace function tasker.diagnose_task(p_task_uuid uuid)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((
    select format('The task exceeded lifecycle.max_duration, %s, of its template and was %s: task_timed_out.',
                  nt.configuration #>> '{lifecycle,max_duration}', case t.state when 'cancelled' then 'cancelled' else 'failed' end)
    from tasker.tasks t join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    where t.task_uuid = p_task_uuid and t.timed_out_at is not null and t.state in ('error', 'cancelled')), (
    with waiting as (
      select w.value ->> 'name' as name, w.value ->> 'sentence' as sentence,
             array_position('{failed,no_server,no_handler,paused,slot,not_checked,delayed,cancelling,lease_expired,retry,retry_due,running,offered,result_submitted,batch,child,child_retry,approval,signal,timer,not_started,ready,held_back,parents}',
                            w.value ->> 'cause') as rank, w.ordinality, count(*) over () as steps
      from jsonb_array_elements(tasker.get_waiting_document(p_task_uuid, false, false) -> 'waiting') with ordinality w)
    select format('Step %s %s', w.name, w.sentence)
           || case w.steps when 1 then '.' when 2 then '; 1 other step is not done.' else format('; %s other steps are not done.', w.steps - 1) end
    from waiting w order by w.rank, w.ordinality limit 1));
end
$$;
comment on function tasker.diagnose_task(uuid) is 'Why a task is blocked or waiting, in one sentence; null when it does not exist or has ended otherwise than by its time limit.';
