-- Pauses a namespace (p_name null) or the templates of a name (p_version null: all registered
-- versions): their steps are no longer handed off; offered and running steps finish. New tasks are
-- still accepted. Idempotent: an existing pause stays unchanged. A namespace's pause also applies
-- to templates that are registered later.
-- Returns {outcome, templates}: paused, already, or refused with the code template-not-found when
-- there is no such namespace or template; templates is how many this call paused.
-- Locks: the namespace. Errors: TK007 as check_action. Source: ADR 0015.
create or replace function tasker.pause_templates(
  p_namespace text, p_name text, p_version text, p_by text, p_reason text,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_found record;
  v_space tasker.task_namespaces;
  v_new   int;
begin
  perform tasker.check_action('pause', array['pause'], p_by, p_reason);
  v_found := tasker.find_templates_to_pause(p_namespace, p_name, p_version);
  if v_found.o_refusal is not null then
    return v_found.o_refusal;
  end if;
  v_space := v_found.o_namespace;

  insert into tasker.template_pauses
    (named_task_uuid, is_namespace, paused_at, paused_by, claimed_actor, reason)
  select u, p_name is null, v_now, coalesce(tasker.get_caller(), p_by),
         case when tasker.get_caller() <> p_by then p_by end, p_reason
  from unnest(v_found.o_templates) u
  on conflict (named_task_uuid, is_namespace) do nothing;
  get diagnostics v_new = row_count;
  if p_name is null and v_space.paused_at is null then
    update tasker.task_namespaces ns
    set paused_at = v_now, paused_by = coalesce(tasker.get_caller(), p_by),
        pause_claimed_actor = case when tasker.get_caller() <> p_by then p_by end,
        pause_reason = p_reason, updated_at = v_now
    where ns.task_namespace_uuid = v_space.task_namespace_uuid;
    v_new := greatest(v_new, 1);
  end if;
  if v_new > 0 then
    insert into tasker.operator_actions
      (acted_at, action, acted_by, reason, namespace, template_name, template_version)
    values (v_now, 'pause', p_by, p_reason, p_namespace, p_name, p_version);
  end if;
  return jsonb_build_object('outcome', case when v_new > 0 then 'paused' else 'already' end,
                            'templates', cardinality(v_found.o_templates));
end
$$;
comment on function tasker.pause_templates(text, text, text, text, text, timestamptz) is
  'Pauses a namespace or the templates of a name: no further step is handed off; offered and '
  'running steps finish.';
