-- Sends one parked message again. As replay_dead_messages.
create or replace function tasker.replay_dead_message(p_dead_message_uuid uuid, p_by text)
returns jsonb
language sql
set search_path = ''
as $$
  select tasker.replay_dead_messages(array[p_dead_message_uuid], p_by)
$$;
comment on function tasker.replay_dead_message(uuid, text) is
  'Sends one parked message again, unchanged, once.';
