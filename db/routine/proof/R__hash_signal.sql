-- A hash of what a sender gave: the payload, the name and the id of a signal, its number, and who
-- sent it when.
-- Source: docs/reference/invariants.md.
create or replace function tasker.hash_signal(p_signal tasker.task_signals)
returns bigint
language sql stable parallel safe
set search_path = ''
as $$
  select tasker.hash_documents(
           p_signal.payload,
           -- Seconds, since the text of a time depends on the zone of the session.
           jsonb_build_array(p_signal.name, p_signal.number, p_signal.signal_id, p_signal.sent_by,
                             extract(epoch from p_signal.sent_at)))
$$;
comment on function tasker.hash_signal(tasker.task_signals) is
  'A hash of what a sender gave: the payload, the name and the id of a signal, its number, and '
  'who sent it when.';
