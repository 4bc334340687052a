-- Sends one parked message again; false when it is not there or was sent before. As replay_dead_messages.
-- Called by DeadMessages.
create or replace function tasker.replay_dead_message(p_dead_message_uuid uuid, p_by text)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  return exists (select from tasker.replay_dead_messages(array[p_dead_message_uuid], p_by));
end
$$;
comment on function tasker.replay_dead_message(uuid, text) is
  'Sends one parked message again; false when it is not there or was sent before.';
