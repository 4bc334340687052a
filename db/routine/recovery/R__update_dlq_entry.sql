-- Closes a dead letter (p_status other than pending) or adds to its metadata, for an operator. The
-- task does not change: act_on_task acts on it. p_reason becomes the notes. The metadata of an
-- entry have at most 1 MiB, with those that it has already.
-- Returns {outcome}: done, already (closed in the same way by the same operator) or refused, with
-- code and message: the code is dead-letter-not-found when there is no such entry, and
-- invalid-request for metadata that may not be stored. Locks: the entry. Errors: TK007 as
-- check_action.
create or replace function tasker.update_dlq_entry(
  p_dlq_entry_uuid uuid, p_status varchar, p_by text, p_reason text, p_metadata jsonb default null,
  p_now timestamptz default null, p_bulk_token uuid default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_entry tasker.tasks_dlq;
  v_reply jsonb;
  v_complaint text;
begin
  perform tasker.check_action(
    coalesce(p_status, 'pending'), enum_range(null::tasker.dlq_resolution_status)::text[], p_by,
    p_reason);
  select d.* into v_entry
  from tasker.tasks_dlq d
  where d.dlq_entry_uuid = p_dlq_entry_uuid for no key update;
  if not found then
    return tasker.refuse_unknown('dead-letter', p_dlq_entry_uuid::text);
  end if;
  -- Each update adds to it.
  v_complaint := tasker.check_document(
    coalesce(v_entry.metadata, '{}') || coalesce(p_metadata, '{}'), 1048576);
  v_reply := coalesce(tasker.judge_dlq_update(
                        v_entry, p_status, coalesce(tasker.get_caller(), p_by)),
                      case when v_complaint is not null then
                             jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                                                'field', 'metadata', 'message', v_complaint) end);
  if v_reply is not null then
    return v_reply;
  end if;
  update tasker.tasks_dlq d
  set resolution_status = coalesce(p_status, 'pending')::tasker.dlq_resolution_status,
      resolution_timestamp = case when coalesce(p_status, 'pending') <> 'pending' then v_now end,
      resolution_notes = p_reason,
      resolved_by = case when coalesce(p_status, 'pending') <> 'pending' then
                           coalesce(tasker.get_caller(), p_by) end,
      claimed_actor = case when coalesce(p_status, 'pending') <> 'pending'
                             and tasker.get_caller() <> p_by then p_by end,
      metadata = coalesce(d.metadata, '{}') || coalesce(p_metadata, '{}'), updated_at = v_now
  where d.dlq_entry_uuid = p_dlq_entry_uuid;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, dlq_entry_uuid, bulk_token, details)
  values (v_now, 'update_dlq_entry', p_by, p_reason, v_entry.task_uuid, p_dlq_entry_uuid,
          p_bulk_token,
          jsonb_strip_nulls(jsonb_build_object('resolution_status', p_status,
                                               'metadata', p_metadata)));
  return jsonb_build_object('outcome', 'done');
end
$$;
comment on function tasker.update_dlq_entry(
  uuid, varchar, text, text, jsonb, timestamptz, uuid) is
  'Closes a dead letter or adds to its metadata, for an operator; the task does not change.';
