-- Takes up to p_limit messages off one worker queue, lowest claim_order first, and returns the steps and attempts they
-- offer, by step. Messages another session is taking are skipped. The rows are deleted: from here on the claimed
-- step's own lease stands for the offer, and a rollback puts the message back.
-- Locks: the message rows. A queue that is not there gives nothing.
-- Called by claim_steps. The table layout is pgmq's, the index on claim_order is ours (ensure_task_queue).
create or replace function tasker.take_messages(
  p_namespace text, p_limit int, out o_step_uuids uuid[], out o_attempts int[])
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
begin
  execute format($q$
    with picked as (
      select q.msg_id from pgmq.%1$I q
      where q.vt <= clock_timestamp()
      order by ((q.headers ->> 'claim_order')::bigint)
      limit $1
      for update skip locked),
    taken as (
      delete from pgmq.%1$I q using picked where q.msg_id = picked.msg_id
      returning (q.message ->> 'step_uuid')::uuid as step_uuid, (q.message ->> 'attempt')::int as attempt)
    select coalesce(array_agg(t.step_uuid order by t.step_uuid), '{}'), coalesce(array_agg(t.attempt order by t.step_uuid), '{}')
    from taken t $q$, 'q_' || lower(tasker.worker_queue(p_namespace)))
    into o_step_uuids, o_attempts using p_limit;
exception when undefined_table then
  o_step_uuids := '{}';
  o_attempts := '{}';
end
$$;
comment on function tasker.take_messages(text, int) is
  'Takes up to p_limit messages off one worker queue, lowest claim_order first.';
