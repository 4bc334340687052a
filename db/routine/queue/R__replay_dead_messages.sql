-- Sends parked messages again, unchanged, each once; all of the given ones or none: when one of the
-- uuids is null or unknown, or the array is empty, it sends no message. The copy on the queue is a
-- new message; the parked row records when and by whom it was sent again.
-- Returns {outcome, replayed: [uuids]}: done, already when all of them were sent before, or refused
-- with the code dead-message-not-found. replayed leaves out those that were sent before.
-- Locks: the parked rows. Errors: TK007 without a name.
create or replace function tasker.replay_dead_messages(p_dead_message_uuids uuid[], p_by text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message  tasker.dead_messages;
  v_unknown  uuid[];
  v_replayed uuid[] := '{}';
begin
  if coalesce(btrim(p_by), '') = '' then
    raise exception 'by is empty: the caller must give the name of the operator who sends the '
                    'messages again'
      using errcode = 'TK007';
  end if;
  select array_agg(g.uuid) into v_unknown from unnest(p_dead_message_uuids) g(uuid)
  where not exists (select from tasker.dead_messages d where d.dead_message_uuid = g.uuid);
  if v_unknown is not null or coalesce(cardinality(p_dead_message_uuids), 0) = 0 then
    -- array_to_string leaves out nulls; the text is null when the array has only nulls.
    return tasker.refuse_unknown('dead-message', nullif(array_to_string(v_unknown, ', '), ''));
  end if;
  for v_message in
    select d.* from tasker.dead_messages d
    where d.dead_message_uuid = any (p_dead_message_uuids) and d.replayed_at is null
    order by d.dead_message_uuid for update
  loop
    perform tasker.ensure_task_queue(v_message.queue_name);
    perform pgmq.send(v_message.queue_name, v_message.message, v_message.headers);
    update tasker.dead_messages d
    set replayed_at = clock_timestamp(), replayed_by = coalesce(tasker.get_caller(), p_by),
        claimed_actor = case when tasker.get_caller() <> p_by then p_by end
    where d.dead_message_uuid = v_message.dead_message_uuid;
    v_replayed := v_replayed || v_message.dead_message_uuid;
  end loop;
  return jsonb_build_object(
    'outcome', case when cardinality(v_replayed) > 0 then 'done' else 'already' end,
    'replayed', v_replayed);
end
$$;
comment on function tasker.replay_dead_messages(uuid[], text) is
  'Sends parked messages again, unchanged, each once; all of the given ones or none.';
