-- Checks whether a request was answered before, as the first statement of its transaction:
-- {verdict} is new (execute it, and save the response with save_idempotent_response), replay (with
-- status, location and body of the first response), other_request (the key was used for another
-- request) or busy (another transaction has held the same key for longer than p_wait_ms). Deletes a
-- response older than p_retention_seconds.
-- p_request_hash: SHA-256 in hexadecimal digits.
-- Locks: the key, by an advisory lock until the end of the transaction. It is the first lock of the
-- transaction, so no holder of one waits for another. A second request waits for the end of the
-- first one and then sees its response, or finds that there is none.
create or replace function tasker.claim_idempotency_key(
  p_principal text, p_key text, p_request_hash text, p_retention_seconds int,
  p_wait_ms int default 5000, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before text := pg_catalog.current_setting('lock_timeout');
  v_kept   tasker.idempotency_keys;
begin
  perform pg_catalog.set_config('lock_timeout', p_wait_ms || 'ms', true);
  begin
    perform pg_catalog.pg_advisory_xact_lock(
      pg_catalog.hashtextextended(p_principal || chr(10) || p_key, 20));
  exception when lock_not_available then
    perform pg_catalog.set_config('lock_timeout', v_before, true);
    return jsonb_build_object('verdict', 'busy');
  end;
  perform pg_catalog.set_config('lock_timeout', v_before, true);

  select * into v_kept
  from tasker.idempotency_keys k
  where k.principal = p_principal and k.idempotency_key = p_key;
  if not found then
    return jsonb_build_object('verdict', 'new');
  end if;
  if v_kept.created_at
      < coalesce(p_now, clock_timestamp()) - make_interval(secs => p_retention_seconds) then
    delete from tasker.idempotency_keys k
    where k.principal = p_principal and k.idempotency_key = p_key;
    return jsonb_build_object('verdict', 'new');
  end if;
  if v_kept.request_hash <> decode(p_request_hash, 'hex') then
    return jsonb_build_object('verdict', 'other_request');
  end if;
  return jsonb_build_object(
    'verdict', 'replay', 'status', v_kept.status, 'location', v_kept.location, 'body', v_kept.body);
end
$$;
comment on function tasker.claim_idempotency_key(text, text, text, int, int, timestamptz) is
  'Checks whether a request was answered before, as the first statement of its transaction.';
