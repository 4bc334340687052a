-- The name of the domain event for an event in the history of an approval. Both decisions have one
-- name.
-- Locks: none. Source: ADR 0055.
create or replace function tasker.get_approval_event_name(p_event tasker.approval_event)
returns text
language sql immutable parallel safe
as $$
  select 'tasker.approval.' || case when p_event = 'made' then 'requested'
                                    when p_event in ('approved', 'rejected') then 'decided'
                                    else p_event::text end
$$;
comment on function tasker.get_approval_event_name(tasker.approval_event) is
  'The name of the domain event for an event in the history of an approval.';
