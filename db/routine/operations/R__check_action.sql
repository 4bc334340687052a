-- Refuses an operator action that is unknown, or has no actor or no reason, with TK007.
create or replace function tasker.check_action(
  p_action text, p_known text[], p_by text, p_reason text)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_action is null or not p_action = any (p_known) then
    raise exception 'there is no action %; known are %', coalesce(p_action, 'null'),
      array_to_string(p_known, ', ')
      using errcode = 'TK007';
  end if;
  if coalesce(btrim(p_by), '') = '' or length(p_by) > 128 then
    raise exception 'an action needs the name of the operator, in at most 128 characters'
      using errcode = 'TK007';
  end if;
  if coalesce(btrim(p_reason), '') = '' or length(p_reason) > 1000 then
    raise exception 'an action needs a reason, in at most 1000 characters' using errcode = 'TK007';
  end if;
end
$$;
comment on function tasker.check_action(text, text[], text, text) is
  'Refuses an operator action that is unknown, or has no actor or no reason, with TK007.';
