-- Takes up to p_limit messages off one worker queue, lowest claim_order first, and returns the
-- steps and handoffs that they offer, by step. When more messages wait than the caller takes, a new
-- message with a lower claim_order is found within a quarter of a second (get_claim_cursor). Skips
-- messages that another session is taking. Deletes the rows: the lease of the claimed step replaces
-- the offer, and a rollback restores the message.
-- p_handlers: only messages for these handlers, and those that name none; null for all. Reads the
-- index handler by handler and merges by claim_order, so that it never reads messages for other
-- handlers, however many precede. A malformed message would make every claim of its queue fail: on
-- the first one, parks all malformed messages in dead_messages and takes the others.
-- Locks: the message rows. Returns empty arrays when there is no such queue. The table layout is
-- that of pgmq, the indexes on claim_order and handler are those of ensure_task_queue.
create or replace function tasker.take_messages(
  p_namespace text, p_limit int, p_handlers text[] default null, out o_step_uuids uuid[],
  out o_handoffs int[])
language plpgsql
-- Forces an index scan in claim_order that stops at the limit: a sort of the whole queue seems
-- cheap to the planner while its statistics say that the queue is short.
set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
declare
  v_table  text := 'q_' || lower(tasker.worker_queue(p_namespace));
  v_floor  bigint := tasker.get_claim_cursor(v_table);
  v_kind   text := case when v_floor is null then 'take' else 'take_from' end;
  v_last   bigint;
  v_until  bigint;
  v_rest   record;
  v_parked int;
  v_found  bigint[];
  v_tried  bigint[] := '{}';
begin
  o_step_uuids := '{}';
  o_handoffs := '{}';
  if p_handlers is null then
    if tasker.prepares_queue_statements() then
      execute format('execute tasker_%s_%s(%s)', v_kind, md5(v_table),
                     concat_ws(', ', p_limit, v_floor)) into o_step_uuids, o_handoffs, v_last;
    else
      execute tasker.get_queue_statement(v_kind, v_table)
        into o_step_uuids, o_handoffs, v_last using p_limit, v_floor;
    end if;
  else
    v_last := v_floor;
    -- Finds messages without locks, then takes them by key; searches for the next ones when another
    -- session has taken some of them.
    while cardinality(p_handlers) > 0 and cardinality(o_step_uuids) < p_limit loop
      execute format(
          $q$
        select array_agg(f.msg_id), max(f.claim_order)
        from (select c.msg_id, c.claim_order
              from (select m.*
                    from unnest($2) as h(handler)
                    cross join lateral (
                      select q.msg_id, (q.headers ->> 'claim_order')::bigint as claim_order
                      from pgmq.%1$I q
                      -- Not "= h.handler": when most messages are for one handler, the planner
                      -- expects that one, and reads by claim_order.
                      where ((q.headers ->> 'handler') collate "C",
                             (q.headers ->> 'claim_order')::bigint)
                          >= (h.handler, coalesce($3, '-9223372036854775808'))
                        and (q.headers ->> 'handler') collate "C" <= h.handler
                        and q.vt <= clock_timestamp()
                        and q.msg_id <> all ($4)
                      order by (q.headers ->> 'handler') collate "C",
                        (q.headers ->> 'claim_order')::bigint limit $1) m
                    union all
                    -- A message of another program may have no claim rank; it comes last.
                    select m.*
                    from unnest($2) as h(handler)
                    cross join lateral (select q.msg_id, null::bigint
                                        from pgmq.%1$I q
                                        where (q.headers ->> 'handler') collate "C" = h.handler
                                          and (q.headers ->> 'claim_order')::bigint is null
                                          and q.vt <= clock_timestamp()
                                          and q.msg_id <> all ($4) limit $1) m
                    union all
                      -- Nor need it name a handler; the claim of its step compares the handler of
                      -- the template.
                      (select q.msg_id, (q.headers ->> 'claim_order')::bigint
                       from pgmq.%1$I q
                       where (q.headers ->> 'handler') collate "C" is null
                         and q.vt <= clock_timestamp()
                         and q.msg_id <> all ($4)
                       -- By both columns of the index: from "is null" alone the planner does not
                       -- derive this order.
                       order by (q.headers ->> 'handler') collate "C",
                         (q.headers ->> 'claim_order')::bigint limit $1)) c
              order by c.claim_order limit $1) f $q$,
          v_table) into v_found,
        v_until using p_limit - cardinality(o_step_uuids), p_handlers, v_last, v_tried;
      exit when v_found is null;
      v_tried := v_tried || v_found;
      v_last := coalesce(v_until, v_last);
      execute format($q$
        with taken as (
          delete from pgmq.%1$I q
          where q.msg_id = any (array(select l.msg_id
                                      from pgmq.%1$I l
                                      where l.msg_id = any ($1) and l.vt <= clock_timestamp()
                                      for update skip locked))
          returning (q.message ->> 'step_uuid')::uuid as step_uuid,
                    (q.message ->> 'handoff')::int as handoff)
        select array_agg(t.step_uuid), array_agg(t.handoff)
        from (select u.*
              from unnest($2, $3) as u(step_uuid, handoff)
              union all
              select t.* from taken t order by 1) t $q$, v_table)
        into o_step_uuids, o_handoffs using v_found, o_step_uuids, o_handoffs;
      o_step_uuids := coalesce(o_step_uuids, '{}');
      o_handoffs := coalesce(o_handoffs, '{}');
    end loop;
  end if;
  if v_last is not null then
    perform tasker.set_claim_cursor(v_table, v_last, v_floor is null);
  end if;
  -- Before the cursor there may be more messages: read them when the limit is not reached.
  if v_floor is not null and cardinality(o_step_uuids) < p_limit then
    perform set_config('tasker.floor_' || md5(v_table), '', false);
    v_rest := tasker.take_messages(p_namespace, p_limit - cardinality(o_step_uuids), p_handlers);
    select array_agg(u.step_uuid order by u.step_uuid), array_agg(u.handoff order by u.step_uuid)
      into o_step_uuids, o_handoffs
    from unnest(o_step_uuids || v_rest.o_step_uuids,
                o_handoffs || v_rest.o_handoffs) as u(step_uuid, handoff);
    o_step_uuids := coalesce(o_step_uuids, '{}');
    o_handoffs := coalesce(o_handoffs, '{}');
  end if;
exception
  when undefined_table then
    o_step_uuids := '{}';
    o_handoffs := '{}';
  when invalid_sql_statement_name then
    -- The first time in this session.
    if to_regclass('pgmq.' || quote_ident(v_table)) is not null then
      perform tasker.prepare_queue_statement(v_kind, v_table);
      select t.o_step_uuids, t.o_handoffs into o_step_uuids, o_handoffs
      from tasker.take_messages(p_namespace, p_limit, p_handlers) t;
    end if;
  when data_exception then
    execute format($q$
      select tasker.park_messages($1, array_agg(q.msg_id), null,
                                  'offers no step: step_uuid must be a uuid and handoff a number')
      from pgmq.%I q
      where coalesce(q.message ->> 'step_uuid',
                     '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
        or coalesce(q.message ->> 'handoff', '') !~ '^[0-9]{1,9}$' $q$, v_table)
      into v_parked using tasker.worker_queue(p_namespace);
    if v_parked = 0 then
      raise;
    end if;
    select t.o_step_uuids, t.o_handoffs into o_step_uuids, o_handoffs
    from tasker.take_messages(p_namespace, p_limit, p_handlers) t;
end
$$;
comment on function tasker.take_messages(text, int, text[]) is
  'Takes up to p_limit messages off one worker queue, lowest claim_order first.';
