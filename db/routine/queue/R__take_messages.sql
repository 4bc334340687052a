-- Takes up to p_limit messages off one worker queue, lowest claim_order first, and returns the steps and handoffs they
-- offer, by step. Where there are more than the caller wants, a message that came in with a lower claim_order is seen within a quarter of a second
-- (get_claim_cursor). Messages another session is taking are skipped. The rows are deleted: from here on the claimed
-- step's own lease stands for the offer, and a rollback puts the message back.
-- A message that is none of ours would make every claim of its queue fail: when one turns up, all of that kind are parked in
-- dead_messages and the others are taken.
-- p_elsewhere: handlers as JSON strings whose messages are left where they are, null for none.
-- Locks: the message rows. A queue that is not there gives nothing.
-- The table layout is pgmq's, the index on claim_order is ours (ensure_task_queue).
create or replace function tasker.take_messages(
  p_namespace text, p_limit int, p_elsewhere jsonb default null, out o_step_uuids uuid[], out o_handoffs int[])
language plpgsql
-- By the index on claim_order and as far as need be: to read all there is and sort it looks cheap while the planner believes that the queue is short.
set search_path = '' set enable_bitmapscan = off set enable_sort = off
as $$
declare
  v_table  text := 'q_' || lower(tasker.worker_queue(p_namespace));
  v_floor  bigint := tasker.get_claim_cursor(v_table);
  v_last   bigint;
  v_rest   record;
  v_parked int;
begin
  execute format($q$
    with picked as (
      select q.msg_id, (q.headers ->> 'claim_order')::bigint as claim_order from pgmq.%1$I q
      where q.vt <= clock_timestamp() %2$s %3$s
      order by ((q.headers ->> 'claim_order')::bigint)
      limit $1
      for update skip locked),
    taken as (
      -- By an array of keys: a join would read the whole queue for each message while the planner believes that it is as short as it was.
      delete from pgmq.%1$I q where q.msg_id = any (array(select p.msg_id from picked p))
      returning (q.message ->> 'step_uuid')::uuid as step_uuid, (q.message ->> 'handoff')::int as handoff)
    select coalesce(array_agg(t.step_uuid order by t.step_uuid), '{}'), coalesce(array_agg(t.handoff order by t.step_uuid), '{}'),
           (select max(p.claim_order) from picked p)
    from taken t $q$, v_table, case when v_floor is not null then 'and (q.headers ->> ''claim_order'')::bigint >= $2' end,
    case when p_elsewhere is not null then 'and not coalesce($3 ? (q.headers ->> ''handler''), false)' end)
    into o_step_uuids, o_handoffs, v_last using p_limit, v_floor, p_elsewhere;
  if v_last is not null then
    perform tasker.set_claim_cursor(v_table, v_last, v_floor is null);
  end if;
  -- Nobody's hands stay free while there is anything to take before that place.
  if v_floor is not null and cardinality(o_step_uuids) < p_limit then
    perform set_config('tasker.floor_' || md5(v_table), '', false);
    v_rest := tasker.take_messages(p_namespace, p_limit - cardinality(o_step_uuids), p_elsewhere);
    select array_agg(u.step_uuid order by u.step_uuid), array_agg(u.handoff order by u.step_uuid) into o_step_uuids, o_handoffs
    from unnest(o_step_uuids || v_rest.o_step_uuids, o_handoffs || v_rest.o_handoffs) as u(step_uuid, handoff);
    o_step_uuids := coalesce(o_step_uuids, '{}');
    o_handoffs := coalesce(o_handoffs, '{}');
  end if;
exception
  when undefined_table then
    o_step_uuids := '{}';
    o_handoffs := '{}';
  when data_exception then
    execute format($q$
      select tasker.park_messages($1, array_agg(q.msg_id), null, 'offers no step: step_uuid must be a uuid and handoff a number')
      from pgmq.%I q
      where coalesce(q.message ->> 'step_uuid', '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
         or coalesce(q.message ->> 'handoff', '') !~ '^[0-9]{1,9}$' $q$, v_table)
      into v_parked using tasker.worker_queue(p_namespace);
    if v_parked = 0 then
      raise;
    end if;
    select t.o_step_uuids, t.o_handoffs into o_step_uuids, o_handoffs from tasker.take_messages(p_namespace, p_limit, p_elsewhere) t;
end
$$;
comment on function tasker.take_messages(text, int, jsonb) is
  'Takes up to p_limit messages off one worker queue, lowest claim_order first.';
