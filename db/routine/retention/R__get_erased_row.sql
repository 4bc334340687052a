-- What the erasure of a task makes of a row of history: of a move, a result or an operator action.
-- The only change of such a row that refuse_history_change lets through. The generated column of a
-- result is left out, which a trigger before the change does not see.
-- Source: docs/reference/personal-data.md.
create or replace function tasker.get_erased_row(p_row jsonb)
returns jsonb
language sql immutable parallel safe
as $$
  select case
    when p_row ? 'action_uuid' then p_row || jsonb_build_object(
      'reason', 'erased', 'details', tasker.strip_action_details(p_row -> 'details'))
    when p_row ? 'outcome' then p_row - 'success' || jsonb_build_object(
      'result', null, 'error', e.error, 'document_hash', tasker.hash_documents(null, e.error))
    else p_row
      || jsonb_build_object('metadata', tasker.strip_metadata(p_row -> 'metadata')) end
  from (select case when p_row ->> 'error' is not null then tasker.get_erased_error() end) e(error)
$$;
comment on function tasker.get_erased_row(jsonb) is
  'What the erasure of a task makes of a row of history.';
