-- The name of the step that compensates the step p_name: it continues that name, or as much of it
-- as there is room for, and then the uuid of the step that compensates.
-- Locks: none. Source: ADR 0046.
create or replace function tasker.format_compensation_name(p_name text, p_undo_uuid uuid)
returns text
language sql immutable parallel safe
as $$
  select case when length(p_name) <= 115 then p_name
              else left(p_name, 78) || ':' || p_undo_uuid end || ':compensation'
$$;
comment on function tasker.format_compensation_name(text, uuid) is
  'The name of the step that compensates the step p_name.';
