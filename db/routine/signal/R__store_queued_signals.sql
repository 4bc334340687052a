-- Puts the queued signals of tasks into their mailboxes, in the order in which they were queued,
-- and deletes their rows; one that is refused stays with the reason. Up to a thousand of them;
-- p_name: only those of that name. Signals of transactions that have not committed are not visible
-- yet and come later. Returns the tasks that got a signal.
-- Locks: the rows; the caller holds the tasks. Source: ADR 0057.
create or replace function tasker.store_queued_signals(
  p_task_uuids uuid[], p_now timestamptz, p_name text default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_signal tasker.queued_signals;
  v_answer jsonb;
  v_tasks  uuid[] := '{}';
begin
  for v_signal in
    select q.*
    from tasker.queued_signals q
    where q.task_uuid = any (p_task_uuids)
      and q.refused_at is null
      and (p_name is null or q.name = p_name)
    order by q.queued_uuid limit 1000 for update
  loop
    v_answer := tasker.store_signal(v_signal.task_uuid, v_signal.name, v_signal.payload,
                                    v_signal.signal_id, v_signal.sent_by, true, v_signal.sent_at);
    if v_answer ->> 'outcome' = 'refused' then
      update tasker.queued_signals q
      set refused_at = p_now, code = v_answer ->> 'code',
          message = left(v_answer ->> 'message', 1000)
      where q.queued_uuid = v_signal.queued_uuid;
    else
      delete from tasker.queued_signals q where q.queued_uuid = v_signal.queued_uuid;
      v_tasks := v_tasks || v_signal.task_uuid;
    end if;
  end loop;
  return v_tasks;
end
$$;
comment on function tasker.store_queued_signals(uuid[], timestamptz, text) is
  'Puts the queued signals of tasks into their mailboxes, in the order in which they were queued.';
