-- A page of the approvals that p_by may see: {approvals, next}. Open ones come in the order of
-- their due times, those without one last; with another state in the filter, or none, all of them
-- come newest first.
-- p_filter: {state?, namespace?, namespaces?, mine?, claimed_by?, due_before?, task_uuid?, title?}.
-- state is one or several with commas between them; namespaces are those in which the caller may
-- read approvals; mine true: open ones that p_by has claimed, or may claim; title is a part of the
-- title, in any case. p_after: next of the previous page. p_rights: as resolve_approver takes them.
-- Locks: none. Errors: TK007 for a p_after that is none of this list. Source: ADR 0044.
create or replace function tasker.list_approvals(
  p_filter jsonb, p_by text, p_rights jsonb default '{}', p_limit int default 50,
  p_after text default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  v_approver   jsonb := tasker.resolve_approver(p_by, p_rights);
  v_by_due     boolean := coalesce((p_filter ->> 'mine')::boolean, false)
    or coalesce(p_filter ->> 'state' = 'open', false);
  v_states     tasker.approval_state[] := string_to_array(
    p_filter ->> 'state', ',')::tasker.approval_state[];
  v_namespaces text[];
  v_title      text := '%' || regexp_replace(p_filter ->> 'title', '([\\%_])', '\\\1', 'g') || '%';
  v_after_due  timestamptz;
  v_after_uuid uuid;
  v_page       uuid[];
  v_last       tasker.approvals;
begin
  if p_filter ->> 'namespace' is not null or p_filter -> 'namespaces' is not null then
    select coalesce(array_agg(ns.name), '{}') into v_namespaces from tasker.task_namespaces ns
    where (p_filter ->> 'namespace' is null or ns.name = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name);
  end if;
  if p_after is not null then
    if p_after !~ (case when v_by_due then '^([0-9]{20}|infinity)-'
                        else '^' end || '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') then
      raise exception 'p_after is not the next of a page of this list' using errcode = 'TK007';
    end if;
    v_after_uuid := right(p_after, 36)::uuid;
    if v_by_due then
      v_after_due := case when p_after like 'infinity%' then 'infinity'
                          else to_timestamp(left(p_after, 20), 'YYYYMMDDHH24MISSUS') end;
    end if;
  end if;
  if v_by_due then
    select array_agg(p.approval_uuid order by p.due_at, p.approval_uuid) into v_page
    from (select a.approval_uuid, coalesce(a.due_at, 'infinity') as due_at
          from tasker.approvals a
          where a.state = 'open'
            and (p_after is null
                 or (coalesce(a.due_at, 'infinity'), a.approval_uuid) > (v_after_due, v_after_uuid))
            and (v_namespaces is null or a.namespace_name = any (v_namespaces))
            and (p_filter ->> 'claimed_by' is null
                 or lower(a.claimed_by) = lower(p_filter ->> 'claimed_by'))
            and (p_filter ->> 'due_before' is null
                 or a.due_at < (p_filter ->> 'due_before')::timestamptz)
            and (p_filter ->> 'task_uuid' is null or a.task_uuid = (p_filter ->> 'task_uuid')::uuid)
            and (p_filter ->> 'title' is null or a.title ilike v_title)
            and tasker.may_see_approval(a, v_approver)
            and (not coalesce((p_filter ->> 'mine')::boolean, false)
                 or (case when a.claimed_by is not null then lower(a.claimed_by) = lower(p_by)
                          else tasker.is_approval_candidate(a, v_approver) end
                     and not v_approver -> 'persons' ?| a.initiators))
          order by coalesce(a.due_at, 'infinity'), a.approval_uuid limit p_limit + 1) p;
  else
    select array_agg(p.approval_uuid order by p.approval_uuid desc) into v_page
    from (select a.approval_uuid
          from tasker.approvals a
          where (v_states is null or a.state = any (v_states))
            and (p_after is null or a.approval_uuid < v_after_uuid)
            and (v_namespaces is null or a.namespace_name = any (v_namespaces))
            and (p_filter ->> 'claimed_by' is null
                 or lower(a.claimed_by) = lower(p_filter ->> 'claimed_by'))
            and (p_filter ->> 'due_before' is null
                 or a.due_at < (p_filter ->> 'due_before')::timestamptz)
            and (p_filter ->> 'task_uuid' is null or a.task_uuid = (p_filter ->> 'task_uuid')::uuid)
            and (p_filter ->> 'title' is null or a.title ilike v_title)
            and tasker.may_see_approval(a, v_approver)
          order by a.approval_uuid desc limit p_limit + 1) p;
  end if;
  select a.* into v_last
  from tasker.approvals a
  where cardinality(v_page) > p_limit and a.approval_uuid = v_page[p_limit];
  return jsonb_build_object(
    'approvals', tasker.describe_approvals(coalesce(v_page[1:p_limit], '{}'), v_approver, false),
    'next', case when v_last.approval_uuid is null then null
                 when v_by_due then coalesce(to_char(v_last.due_at, 'YYYYMMDDHH24MISSUS'),
                                             'infinity') || '-' || v_last.approval_uuid
                 else v_last.approval_uuid::text end);
end
$$;
comment on function tasker.list_approvals(jsonb, text, jsonb, int, text) is
  'A page of the approvals that a caller may see.';
