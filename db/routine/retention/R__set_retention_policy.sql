-- Sets how long finished tasks are kept: of a template, of a namespace (p_template null) or of
-- everything (both null), in one state or in any (null); p_days null: without limit. p_remove
-- removes the policy instead. p_dry_run reports what would be purged and changes nothing. This
-- function purges nothing; the next round of housekeeping does.
-- Returns {policy, preview: as get_retention_preview, dry_run}, or {outcome: refused, …} with the
-- code template-not-found when there is no such namespace or template, or
-- retention-policy-not-found when there is no such policy to remove.
-- Locks: the policy. Errors: TK007 as check_action, and for an invalid number of days, state or
-- flag.
create or replace function tasker.set_retention_policy(
  p_namespace text, p_template text, p_state text, p_days int, p_by text, p_reason text,
  p_dry_run boolean default false, p_remove boolean default false, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_document jsonb;
begin
  perform tasker.check_action(
    'set_retention_policy', array['set_retention_policy'], p_by, p_reason);
  if p_dry_run is null or p_remove is null then
    raise exception 'dry_run and remove must be true or false, not null' using errcode = 'TK007';
  end if;
  if p_state not in ('complete', 'error', 'cancelled', 'resolved_manually') then
    raise exception 'state must be complete, error, cancelled or resolved_manually, not %', p_state
      using errcode = 'TK007';
  end if;
  if p_days not between 0 and 36500 then
    raise exception 'days must be 0 to 36500, not %', p_days using errcode = 'TK007';
  end if;
  if p_remove then
    if not exists (select from tasker.retention_policies p
                   where p.namespace_name is not distinct from p_namespace
                     and p.template_name is not distinct from p_template
                     and p.state::text is not distinct from p_state) then
      return tasker.refuse_unknown(
        'retention-policy',
        concat_ws(', ', coalesce(p_namespace || coalesce('/' || p_template, ''), 'all namespaces'),
                  coalesce(p_state, 'any state')));
    end if;
  elsif coalesce(p_namespace, p_template) is not null
      and not exists (select from tasker.task_namespaces ns where ns.name = p_namespace) then
    return tasker.refuse_unknown('template', p_namespace, 'namespace');
  elsif p_template is not null
      and not exists (
        select from tasker.named_tasks nt
        join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
        where ns.name = p_namespace and nt.name = p_template) then
    return tasker.refuse_unknown('template', p_namespace || '/' || p_template);
  end if;

  -- A dry run does what the real one does, and takes it back.
  begin
    if p_remove then
      delete from tasker.retention_policies p
      where p.namespace_name is not distinct from p_namespace
        and p.template_name is not distinct from p_template
        and p.state::text is not distinct from p_state;
    else
      insert into tasker.retention_policies as p
        (namespace_name, template_name, state, keep_days, set_by, claimed_actor, reason)
      values (p_namespace, p_template, p_state::tasker.task_state, p_days,
              coalesce(tasker.get_caller(), p_by),
              case when tasker.get_caller() <> p_by then p_by end, p_reason)
      on conflict on constraint one_policy_per_place_and_state do update
        set keep_days = excluded.keep_days, set_by = excluded.set_by,
            claimed_actor = excluded.claimed_actor, reason = excluded.reason,
            set_at = excluded.set_at;
    end if;
    -- A pass that has begun under the old policies begins anew.
    update tasker.retention_progress set cursor_uuid = null, next_pass_at = '-infinity';
    insert into tasker.operator_actions
      (action, acted_by, reason, namespace, template_name, details)
    values (case when p_remove then 'remove_retention_policy' else 'set_retention_policy' end, p_by,
            p_reason, p_namespace, p_template,
            jsonb_build_object('state', p_state, 'keep_days', p_days));
    v_document := jsonb_build_object(
      'dry_run', p_dry_run, 'preview', tasker.get_retention_preview(p_now),
      'policy', jsonb_build_object('namespace', p_namespace, 'name', p_template, 'state', p_state,
                                   'keep_days', p_days, 'removed', p_remove));
    if p_dry_run then
      raise sqlstate 'DRY00';
    end if;
  exception when sqlstate 'DRY00' then
    null;
  end;
  return v_document;
end
$$;
comment on function tasker.set_retention_policy(
  text, text, text, int, text, text, boolean, boolean, timestamptz) is
  'Sets how long finished tasks are kept; a dry run reports what would be purged and changes '
  'nothing.';
