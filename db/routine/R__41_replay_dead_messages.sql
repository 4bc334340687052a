-- Sends parked messages again, as they were, each once: the copy on the queue is a new message, the parked one says when and
-- by whom. Returns the uuids that were sent; unknown ones and those that were sent before are left out.
-- Locks: the parked rows. Errors: TK007 without a name. Source: attune.md F5. Called by DeadMessagesResource and users.
create or replace function tasker.replay_dead_messages(p_dead_message_uuids uuid[], p_by text)
returns setof uuid
language plpgsql
set search_path = ''
as $$
declare
  v_message tasker.dead_messages;
begin
  if coalesce(btrim(p_by), '') = '' then
    raise exception 'who sends them again?' using errcode = 'TK007';
  end if;
  for v_message in
    select d.* from tasker.dead_messages d
    where d.dead_message_uuid = any (p_dead_message_uuids) and d.replayed_at is null
    order by d.dead_message_uuid for update
  loop
    perform tasker.ensure_task_queue(v_message.queue_name);
    perform pgmq.send(v_message.queue_name, v_message.message, v_message.headers);
    update tasker.dead_messages d set replayed_at = clock_timestamp(), replayed_by = coalesce(tasker.get_caller(), p_by), said_by = case when tasker.get_caller() <> p_by then p_by end
    where d.dead_message_uuid = v_message.dead_message_uuid;
    return next v_message.dead_message_uuid;
  end loop;
end
$$;
comment on function tasker.replay_dead_messages(uuid[], text) is 'Sends parked messages again, as they were, each once.';
