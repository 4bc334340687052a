-- Makes sure that a queue exists, with the index by which claims are ordered; true in any case.
-- The headers column that older drivers had to add is there in every version of pgmq that we accept.
-- Locks: an advisory lock per queue while it is being made. Source: seed on readiness.
create or replace function tasker.ensure_task_queue(p_queue_name text)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_table text := 'q_' || lower(p_queue_name);
begin
  if p_queue_name is null or p_queue_name !~ '^[a-zA-Z0-9_]{1,47}$' then
    raise exception 'queue name "%" must be 1 to 47 letters, digits or underscores', p_queue_name using errcode = 'TK007';
  end if;
  if to_regclass('pgmq.' || quote_ident(v_table || '_claim_idx')) is not null then
    return true;
  end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('tasker.ensure_task_queue'), pg_catalog.hashtext(v_table));
  -- A table that was dropped past pgmq is still in its list.
  if to_regclass('pgmq.' || quote_ident(v_table)) is null or not exists (select from pgmq.list_queues() q where q.queue_name = p_queue_name) then
    perform pgmq.create(p_queue_name);
  end if;
  execute format('create index if not exists %I on pgmq.%I (((headers ->> ''claim_order'')::bigint))', v_table || '_claim_idx', v_table);
  execute format('alter table pgmq.%I set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000)', v_table);
  return true;
end
$$;
comment on function tasker.ensure_task_queue(text) is
  'Makes sure that a queue exists, with the index by which claims are ordered.';
