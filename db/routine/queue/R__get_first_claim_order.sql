-- The claim order of the first visible message of one worker queue from p_floor on; null: none.
-- p_table: of the queue, in schema pgmq. Locks: none. Raises undefined_table when it is not there.
create or replace function tasker.get_first_claim_order(p_table text, p_floor bigint)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_order   bigint;
  v_execute constant text := format('execute tasker_first_%s(%s)', md5(p_table), p_floor);
begin
  if current_user <> session_user then
    execute tasker.get_queue_statement('first', p_table) into v_order using p_floor;
    return v_order;
  end if;
  begin
    execute v_execute into v_order;
  exception when invalid_sql_statement_name then
    perform tasker.prepare_queue_statement('first', p_table);
    execute v_execute into v_order;
  end;
  return v_order;
end
$$;
comment on function tasker.get_first_claim_order(text, bigint) is
  'The claim order of the first visible message of one worker queue.';
