-- queue_signals for one task, for psql, triggers and other applications, and tells the servers.
-- p_options: as send_signal takes them. Returns the answer for the task. Errors: TK007 for an
-- unknown option; TK011 when the signal is refused (detail: the code).
-- Locks: as queue_signals. Source: ADR 0057.
create or replace function tasker.queue_signal(
  p_task_uuid uuid, p_name text, p_payload jsonb default 'null', p_options jsonb default '{}')
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_unknown text;
  v_answer  jsonb;
begin
  select string_agg(k, ', ') into v_unknown
  from jsonb_object_keys(p_options) k
  where k not in ('signal_id', 'sent_by', 'payload_checked', 'notify');
  if v_unknown is not null then
    raise exception 'unknown option: %', v_unknown using errcode = 'TK007';
  end if;
  v_answer := tasker.queue_signals(
    array[p_task_uuid], p_name, p_payload, p_options ->> 'signal_id', p_options ->> 'sent_by',
    coalesce((p_options ->> 'payload_checked')::boolean, false)) #> '{signals,0}';
  if v_answer ->> 'outcome' = 'refused' then
    raise exception '%', concat_ws(': ', v_answer ->> 'field', v_answer ->> 'message')
      using errcode = 'TK011', detail = v_answer ->> 'code';
  end if;
  if coalesce((p_options ->> 'notify')::boolean, true) then
    perform tasker.notify_servers(null, array['orchestration']);
  end if;
  return v_answer;
end
$$;
comment on function tasker.queue_signal(uuid, text, jsonb, jsonb) is
  'Queues a signal for one task in the caller''s transaction, for psql, triggers and other '
  'applications.';
