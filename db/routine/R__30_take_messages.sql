-- Takes up to p_limit messages off one worker queue, lowest claim_order first, and returns the steps and attempts they
-- offer, by step. Messages another session is taking are skipped. The rows are deleted: from here on the claimed
-- step's own lease stands for the offer, and a rollback puts the message back.
-- A message that is none of ours would make every claim of its queue fail: when one turns up, all of that kind are parked in
-- dead_messages and the others are taken.
-- Locks: the message rows. A queue that is not there gives nothing.
-- Called by claim_steps. The table layout is pgmq's, the index on claim_order is ours (ensure_task_queue).
create or replace function tasker.take_messages(
  p_namespace text, p_limit int, out o_step_uuids uuid[], out o_attempts int[])
language plpgsql
set search_path = ''
as $$
declare
  v_parked int;
begin
  execute format($q$
    with picked as (
      select q.msg_id from pgmq.%1$I q
      where q.vt <= clock_timestamp()
      order by ((q.headers ->> 'claim_order')::bigint)
      limit $1
      for update skip locked),
    taken as (
      -- By an array of keys: a join would read the whole queue for each message while the planner believes that it is as short as it was.
      delete from pgmq.%1$I q where q.msg_id = any (array(select p.msg_id from picked p))
      returning (q.message ->> 'step_uuid')::uuid as step_uuid, (q.message ->> 'attempt')::int as attempt)
    select coalesce(array_agg(t.step_uuid order by t.step_uuid), '{}'), coalesce(array_agg(t.attempt order by t.step_uuid), '{}')
    from taken t $q$, 'q_' || lower(tasker.worker_queue(p_namespace)))
    into o_step_uuids, o_attempts using p_limit;
exception
  when undefined_table then
    o_step_uuids := '{}';
    o_attempts := '{}';
  when data_exception then
    execute format($q$
      select tasker.park_messages($1, array_agg(q.msg_id), null, 'offers no step: step_uuid must be a uuid and attempt a number')
      from pgmq.%I q
      where coalesce(q.message ->> 'step_uuid', '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
         or coalesce(q.message ->> 'attempt', '') !~ '^[0-9]{1,9}$' $q$, 'q_' || lower(tasker.worker_queue(p_namespace)))
      into v_parked using tasker.worker_queue(p_namespace);
    if v_parked = 0 then
      raise;
    end if;
    select t.o_step_uuids, t.o_attempts into o_step_uuids, o_attempts from tasker.take_messages(p_namespace, p_limit) t;
end
$$;
comment on function tasker.take_messages(text, int) is
  'Takes up to p_limit messages off one worker queue, lowest claim_order first.';
