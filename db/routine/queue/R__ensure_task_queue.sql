-- Ensures that a queue exists, with the index that orders claims and, for a worker queue, the index
-- by which a worker that has only some of the handlers finds its messages, and with the column
-- headers. Always true.
-- Locks: an advisory lock per queue while it is created.
create or replace function tasker.ensure_task_queue(p_queue_name text)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_table     text := 'q_' || lower(p_queue_name);
  v_is_worker boolean := lower(p_queue_name) ~ '^worker_.*_queue$';
begin
  if p_queue_name is null or p_queue_name !~ '^[a-zA-Z0-9_]{1,47}$' then
    raise exception 'queue name "%" must be 1 to 47 letters, digits or underscores', p_queue_name
      using errcode = 'TK007';
  end if;
  if to_regclass('pgmq.' || quote_ident(v_table || '_claim_idx')) is not null
     and (not v_is_worker
          or to_regclass('pgmq.' || quote_ident(v_table || '_handler_idx')) is not null) then
    return true;
  end if;
  perform pg_catalog.pg_advisory_xact_lock(
    pg_catalog.hashtext('tasker.ensure_task_queue'), pg_catalog.hashtext(v_table));
  -- pgmq still lists a queue whose table was dropped without it.
  if to_regclass('pgmq.' || quote_ident(v_table)) is null
     or not exists (select from pgmq.list_queues() q where q.queue_name = p_queue_name) then
    perform pgmq.create(p_queue_name);
  end if;
  perform tasker.pgmq_ensure_headers_column(p_queue_name);
  execute format(
    'create index if not exists %I on pgmq.%I (((headers ->> ''claim_order'')::bigint))',
    v_table || '_claim_idx', v_table);
  if v_is_worker then
    execute format('create index if not exists %I on pgmq.%I (((headers ->> ''handler'')) '
                   'collate "C", ((headers ->> ''claim_order'')::bigint))',
                   v_table || '_handler_idx', v_table);
  end if;
  execute format('alter table pgmq.%I set (autovacuum_vacuum_scale_factor = 0, '
                 'autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000)',
                 v_table);
  return true;
end
$$;
comment on function tasker.ensure_task_queue(text) is
  'Ensures that a queue exists, with the indexes by which claims find their messages.';
