-- Why a dead letter can no longer be changed: the rule of update_dlq_entry. Null while it is open,
-- otherwise the reply: already, when it was closed by p_by as p_status, or refused, with code and
-- message.
-- Locks: none; update_dlq_entry holds the entry. Source: ADR 0058.
create or replace function tasker.judge_dlq_update(
  p_entry tasker.tasks_dlq, p_status text, p_by text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select case when p_entry.resolution_status::text = p_status and p_entry.resolved_by = p_by then
                jsonb_build_object('outcome', 'already')
              else jsonb_build_object(
                'outcome', 'refused', 'code', 'dead-letter-closed',
                'message', format('it was closed as %s by %s', p_entry.resolution_status,
                                  coalesce(p_entry.resolved_by, 'the engine'))) end
  where p_entry.resolution_status <> 'pending'
$$;
comment on function tasker.judge_dlq_update(tasker.tasks_dlq, text, text) is
  'Why a dead letter can no longer be changed: the rule of update_dlq_entry.';
