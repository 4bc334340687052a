-- Remembers how far this session has read a worker queue. p_from_start: the session has just read
-- it from the beginning.
-- Locks: none. See get_claim_cursor.
create or replace function tasker.set_claim_cursor(
  p_table text, p_claim_order bigint, p_from_start boolean)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_name text := 'tasker.floor_' || md5(p_table);
begin
  perform set_config(v_name,
                     p_claim_order || '@' || case
                       when p_from_start then clock_timestamp()::text
                       else split_part(current_setting(v_name, true), '@', 2) end,
                     false);
end
$$;
comment on function tasker.set_claim_cursor(text, bigint, boolean) is
  'Remembers how far this session has read a worker queue.';
