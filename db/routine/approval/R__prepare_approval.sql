-- Evaluates what the approval of a step asks, over the document of the step: {title, shown,
-- candidate_roles, candidate_users, escalation_roles, escalation_users}.
-- p_approval: the approval of the template. Names of users in lower case. A title that is a list is
-- its parts in a row, a missing part left out; it has at most 300 characters. Errors: TK010 when an
-- expression fails, candidates are no names or none, show gives no object or more than 64 KiB.
-- Locks: none. Source: ADR 0044.
create or replace function tasker.prepare_approval(p_approval jsonb, p_document jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_title  jsonb;
  v_text   text;
  v_shown  jsonb := '{}';
  v_lists  jsonb := '{}';
  v_list   record;
  v_names  jsonb;
begin
  v_title := tasker.evaluate_mapping(p_approval -> 'title', p_document);
  v_text := case jsonb_typeof(v_title)
    when 'array' then (select string_agg(coalesce(t.value #>> '{}', ''), '' order by t.ordinality)
                       from jsonb_array_elements(v_title) with ordinality t)
    else v_title #>> '{}' end;
  v_text := btrim(regexp_replace(coalesce(v_text, ''), '[[:cntrl:][:space:]]+', ' ', 'g'));
  if p_approval ? 'show' then
    v_shown := tasker.evaluate_mapping(p_approval -> 'show', p_document);
    if octet_length(v_shown::text) > 65536 then
      raise exception 'approval.show gives % bytes, but at most 65536 are shown',
        octet_length(v_shown::text)
        using errcode = 'TK010';
    end if;
  end if;
  for v_list in
    select l.name, l.path, p_approval #> l.path as names, l.is_user
    from (values ('candidate_roles', '{candidates,roles}'::text[], false),
                 ('candidate_users', '{candidates,users}', true),
                 ('escalation_roles', '{escalate_to,roles}', false),
                 ('escalation_users', '{escalate_to,users}', true)) as l(name, path, is_user)
  loop
    -- An element is a name, or a path to a name or a list of names.
    v_names := tasker.evaluate_mapping(coalesce(v_list.names, '[]'), p_document);
    select coalesce(jsonb_agg(f.value order by n.ordinality, f.ordinality), '[]') into v_names
    from jsonb_array_elements(v_names) with ordinality n
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(n.value) when 'array' then n.value
           else jsonb_build_array(n.value) end) with ordinality f;
    if exists (select from jsonb_array_elements(v_names) n
               where jsonb_typeof(n.value) <> 'string'
                 or btrim(n.value #>> '{}') = ''
                 or length(n.value #>> '{}') > 160) then
      raise exception 'approval.% must give names of 1 to 160 characters, but gives %',
        array_to_string(v_list.path, '.'), left(v_names::text, 200)
        using errcode = 'TK010';
    end if;
    v_lists := v_lists || jsonb_build_object(
      v_list.name,
      (select coalesce(jsonb_agg(distinct case when v_list.is_user then lower(n) else n end), '[]')
       from jsonb_array_elements_text(v_names) n));
  end loop;
  if v_lists -> 'candidate_roles' = '[]' and v_lists -> 'candidate_users' = '[]' then
    raise exception 'approval.candidates gives no role and no user' using errcode = 'TK010';
  end if;
  return v_lists || jsonb_build_object(
    'title', case when length(v_text) > 300 then left(v_text, 299) || '…' else v_text end,
    'shown', v_shown);
end
$$;
comment on function tasker.prepare_approval(jsonb, jsonb) is
  'Evaluates what the approval of a step asks, over the document of the step.';
