-- Where this session may begin to read a worker queue: at the claim rank of the last message that
-- it took, for a quarter of a second after it read the queue from the beginning; null: at the
-- beginning. Messages before that rank are usually claimed already, and may remain as dead rows for
-- as long as any snapshot is open: thousands of them before the first available message. Stored as
-- a setting of the session, so a rollback restores it.
-- p_table: of the queue. Locks: none.
create or replace function tasker.get_claim_cursor(p_table text)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_floor text[] := string_to_array(
    nullif(current_setting('tasker.floor_' || md5(p_table), true), ''), '@');
begin
  return case when v_floor[2]::timestamptz > clock_timestamp() - interval '250 milliseconds' then
                v_floor[1]::bigint end;
end
$$;
comment on function tasker.get_claim_cursor(text) is
  'Where this session may begin to read a worker queue: at the claim rank of the last message '
  'that it took, for a quarter of a second after it read the queue from the beginning.';
