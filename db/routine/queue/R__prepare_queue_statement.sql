-- Prepares the statement of get_queue_statement in this session, as tasker_<kind>_<md5 of the
-- table>: a claim looks into the queue of each namespace, and planning takes longer than that.
-- Raises undefined_table when there is no such queue. Locks: none.
-- Only a caller whose rights are those of the session may execute it: a session can prepare
-- anything under that name, so a function that acts with the rights of its owner plans the text of
-- get_queue_statement itself. Source: ADR 0099.
create or replace function tasker.prepare_queue_statement(p_kind text, p_table text)
returns void
language plpgsql
set search_path = ''
as $$
begin
  execute format(
    'prepare %I (%s) as %s',
    'tasker_' || p_kind || '_' || md5(p_table),
    case p_kind when 'first' then 'bigint' when 'take' then 'int'
                when 'take_from' then 'int, bigint' else 'jsonb[], jsonb[]' end,
    tasker.get_queue_statement(p_kind, p_table));
end
$$;
comment on function tasker.prepare_queue_statement(text, text) is
  'Prepares a statement about one worker queue, for as long as the session lasts.';
