-- Ends a bulk action in the background: tasks without a verdict stay as they are, and its verdicts
-- are kept.
-- Returns the document of the action (get_bulk_action_document) with outcome: cancelled, already
-- when it had ended, or refused with the code token-not-found, or bulk-action-not-running when it
-- was never started.
-- Locks: the bulk action; waits for the part in progress. Source: ADR 0058.
create or replace function tasker.cancel_bulk_action(
  p_token uuid, p_by text, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_bulk tasker.bulk_actions;
begin
  select b.* into v_bulk from tasker.bulk_actions b where b.token = p_token for update;
  if not found then
    return tasker.refuse_unknown('token', p_token::text);
  elsif v_bulk.started_at is null then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'bulk-action-not-running',
      'message', 'the bulk action was not started, and its token runs out by itself');
  elsif v_bulk.executed_at is not null then
    return tasker.get_bulk_action_document(p_token) || jsonb_build_object('outcome', 'already');
  end if;
  update tasker.bulk_actions b
  set executed_at = coalesce(p_now, clock_timestamp()), tasks = null,
      ended_by = coalesce(tasker.get_caller(), p_by),
      result = tasker.get_bulk_action_result(b, 'cancelled')
  where b.token = p_token;
  return tasker.get_bulk_action_document(p_token) || jsonb_build_object('outcome', 'cancelled');
end
$$;
comment on function tasker.cancel_bulk_action(uuid, text, timestamptz) is
  'Ends a bulk action in the background; tasks without a verdict stay as they are.';
