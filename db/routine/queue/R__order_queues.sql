-- The namespaces among p_namespaces (null: all) whose worker queue has a visible message, by the
-- claim rank of the first one.
create or replace function tasker.order_queues(p_namespaces text[] default null)
returns text[]
language plpgsql
-- Forces an index scan in claim order, as take_messages does.
set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
declare
  v_namespace text;
  v_table     text;
  v_floor     bigint;
  v_order     bigint;
  v_names     text[] := '{}';
  v_orders    bigint[] := '{}';
begin
  for v_namespace in
    select ns.name
    from tasker.task_namespaces ns
    where (p_namespaces is null or ns.name = any (p_namespaces))
      and to_regclass('pgmq.' || quote_ident('q_' || lower(tasker.worker_queue(
                                                             ns.name)))) is not null
  loop
    v_table := 'q_' || lower(tasker.worker_queue(v_namespace));
    v_floor := tasker.get_claim_cursor(v_table);
    v_order := null;
    if v_floor is not null then
      v_order := tasker.get_first_claim_order(v_table, v_floor);
    end if;
    if v_order is null then
      v_order := tasker.get_first_claim_order(v_table, -9223372036854775808);
    end if;
    -- A message from another program may have no claim rank: such a queue is left out while it has
    -- no other.
    if v_order is not null then
      v_names := v_names || v_namespace::text;
      v_orders := v_orders || v_order;
    end if;
  end loop;
  return coalesce((select array_agg(u.name order by u.claim_rank)
                   from unnest(v_names, v_orders) as u(name, claim_rank)),
                  '{}');
end
$$;
comment on function tasker.order_queues(text[]) is
  'The namespaces whose worker queue has a visible message, by the claim rank of the first one.';
