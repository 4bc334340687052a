-- Gives an open approval to p_to, who alone may decide it from then on. A candidate may do so with
-- one that it has claimed or that is unclaimed, and only to another candidate; a caller with
-- approvals:assign with every one, also to itself, and to every user who may decide in the
-- namespace. p_to is the name of an enabled user with approvals:decide there, or of a caller whom
-- the candidates name. With four eyes an initiator neither delegates nor is given it.
-- p_note: at most 1000 characters. p_rights: as resolve_approver takes them. Returns as
-- claim_approval; besides its codes invalid-request for p_to and p_note.
-- Locks: as begin_approval_action. Source: ADR 0044.
create or replace function tasker.delegate_approval(
  p_approval_uuid uuid, p_by text, p_to text, p_note text default null, p_rights jsonb default '{}',
  p_server_uuid uuid default null, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_action   record;
  v_moved    jsonb;
  v_to       text := p_to;
  v_assigns  boolean;
  v_is_user  boolean;
  v_wrong    jsonb;
  v_changed  boolean := false;
begin
  v_action := tasker.begin_approval_action(
    p_approval_uuid, p_by, p_rights, false, p_server_uuid, p_now);
  v_moved := v_action.o_moved;
  v_assigns := v_action.o_approver -> 'assigns_in'
    ?| array['*', (v_action.o_approval).namespace_name::text];
  if v_action.o_refusal is null
     and (not v_assigns
          or v_action.o_approver -> 'persons' ?| (v_action.o_approval).initiators) then
    v_action := tasker.begin_approval_action(
      p_approval_uuid, p_by, p_rights, true, p_server_uuid, p_now);
    v_moved := tasker.merge_replies(v_moved, v_action.o_moved);
  end if;
  if v_action.o_refusal is not null then
    return v_action.o_refusal || v_moved;
  end if;
  select u.name,
         exists (select from jsonb_array_elements(tasker.expand_grants(u.user_uuid, null)) g
                 where g ->> 'permission' in ('approvals:decide', 'approvals:*', '*:*')
                   and coalesce(g ->> 'namespace', (v_action.o_approval).namespace_name)
                     = (v_action.o_approval).namespace_name) into v_to, v_is_user
  from tasker.access_users u
  where lower(u.name) = lower(p_to) and u.disabled_at is null;
  v_to := coalesce(v_to, p_to);
  v_wrong := case
    when coalesce(btrim(p_to), '') = '' or length(p_to) > 160 then
      jsonb_build_object('field', 'to', 'message', 'must have 1 to 160 characters')
    when length(p_note) > 1000 then
      jsonb_build_object('field', 'note', 'message', 'must have at most 1000 characters')
    when not coalesce(v_is_user, lower(p_to) = any ((v_action.o_approval).candidate_users)) then
      jsonb_build_object('field', 'to',
                         'message', 'must be an enabled user with the permission approvals:decide '
                                    'in namespace ' || (v_action.o_approval).namespace_name)
    when to_jsonb(tasker.get_persons(v_to)) ?| (v_action.o_approval).initiators then
      jsonb_build_object(
        'field', 'to', 'message', 'must be another person than the task was submitted on behalf of')
    when not v_assigns
      and not tasker.is_approval_candidate(v_action.o_approval, tasker.resolve_approver(v_to)) then
      jsonb_build_object('field', 'to',
                         'message', 'must be another candidate; giving it to others needs '
                                    'the permission approvals:assign') end;
  if v_wrong is not null then
    return v_wrong || '{"outcome": "refused", "code": "invalid-request"}' || v_moved;
  end if;
  if (v_action.o_approval).claimed_by is distinct from v_to then
    v_changed := tasker.give_approval(p_approval_uuid, v_to, p_by, v_action.o_now);
    perform tasker.record_approval_event(
      p_approval_uuid, 'delegated', p_by, v_action.o_now, v_to, p_note);
  end if;
  return jsonb_build_object(
    'outcome', case when v_changed then 'done' else 'unchanged' end,
    'approval', tasker.describe_approvals(
      array[p_approval_uuid], v_action.o_approver, true) -> 0) || v_moved;
end
$$;
comment on function tasker.delegate_approval(uuid, text, text, text, jsonb, uuid, timestamptz) is
  'Assigns an open approval to another user; from then on only that user may decide it.';
