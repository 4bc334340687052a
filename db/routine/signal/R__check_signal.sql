-- Checks a signal independently of its task: {code, field, message}; null when nothing is.
-- Locks: none. Source: ADR 0038.
create or replace function tasker.check_signal(p_name text, p_payload jsonb, p_signal_id text)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select case
           when coalesce(btrim(p_name), '') = '' or length(p_name) > 64 then jsonb_build_object(
             'code', 'invalid-request', 'field', 'name', 'message', 'must have 1 to 64 characters')
           when p_payload is null then jsonb_build_object(
             'code', 'invalid-request', 'field', 'payload',
             'message', 'must be JSON; a signal without a payload has null in JSON')
           when btrim(p_signal_id) = '' or length(p_signal_id) > 128 then
             jsonb_build_object('code', 'invalid-request', 'field', 'signal_id',
                                'message', 'must have 1 to 128 characters')
           when octet_length(p_payload::text) > 65536 then jsonb_build_object(
             'code', 'payload-too-large', 'field', 'payload',
             'message', format('must have at most 65536 bytes, but has %s; keep large data '
                               'elsewhere and send its address',
                               octet_length(p_payload::text)))
           when tasker.check_document(p_payload) is not null then
             jsonb_build_object('code', 'invalid-request', 'field', 'payload',
                                'message', tasker.check_document(p_payload)) end
$$;
comment on function tasker.check_signal(text, jsonb, text) is
  'Checks a signal independently of its task.';
