-- The text of a statement about one worker queue, for prepare_queue_statement and for a caller that
-- may not use what the session has prepared.
-- p_kind: first: the claim order of the first visible message from $1 (bigint, a claim order) on.
-- take: takes up to $1 (int) visible messages and skips those that another session is taking;
-- returns the steps and handoffs that they offer, by step, and the last claim order. take_from: the
-- same from $2 (bigint, a claim order) on. Messages without a claim order are behind all others;
-- only take finds them. send: adds the messages $1 with the headers $2 (both jsonb[]), visible at
-- once.
-- p_table: of the queue, in schema pgmq. Locks: none here; by the text the messages taken.
create or replace function tasker.get_queue_statement(p_kind text, p_table text)
returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return format(
    case p_kind
      when 'first' then $q$
        select (q.headers ->> 'claim_order')::bigint
        from pgmq.%1$I q
        where q.vt <= clock_timestamp() and (q.headers ->> 'claim_order')::bigint >= $1
        order by ((q.headers ->> 'claim_order')::bigint)
        limit 1 $q$
      when 'send' then $q$
        insert into pgmq.%1$I (vt, message, headers)
        select clock_timestamp(), u.message, u.headers
        from unnest($1, $2) as u(message, headers) $q$
      else $q$
        with picked as (
          select q.msg_id, (q.headers ->> 'claim_order')::bigint as claim_order
          from pgmq.%1$I q
          where q.vt <= clock_timestamp() %2$s
          order by ((q.headers ->> 'claim_order')::bigint)
          limit $1
          for update skip locked),
        taken as (
          -- By an array of keys: with a join the planner reads the whole queue for each message
          -- while its statistics say that the queue is short.
          delete from pgmq.%1$I q
          where q.msg_id = any (array(select p.msg_id from picked p))
          returning (q.message ->> 'step_uuid')::uuid as step_uuid,
                    (q.message ->> 'handoff')::int as handoff)
        select coalesce(array_agg(t.step_uuid order by t.step_uuid), '{}'),
               coalesce(array_agg(t.handoff order by t.step_uuid), '{}'),
               (select max(p.claim_order) from picked p)
        from taken t $q$
    end,
    p_table,
    case p_kind when 'take_from' then 'and (q.headers ->> ''claim_order'')::bigint >= $2' end);
end
$$;
comment on function tasker.get_queue_statement(text, text) is
  'The text of a statement that reads one worker queue in claim order, or adds to it.';
