-- Creates one task in the caller's transaction and starts it, for psql, triggers and other
-- applications. p_version null: the highest release.
-- p_options: initiator, source_system, reason, tags, priority, correlation_id,
-- parent_correlation_id, parent_task_uuid, requested_at, idempotency_key, trace_parent, start_at,
-- delay_seconds; on_duplicate 'return' returns the uuid of the existing task instead of an error;
-- context_checked true declares that the context fits the template's input schema, so that no
-- server has to validate it first; notify false sends no notification, so that the pollers find the
-- task, for callers that commit very often.
-- Errors: TK001 no such template, TK004 duplicate (detail: the uuid), TK007 bad argument.
create or replace function tasker.submit_task(
  p_namespace text, p_name text, p_version text, p_context jsonb default '{}',
  p_options jsonb default '{}')
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_unknown text;
  v_verdict jsonb;
begin
  select string_agg(k, ', ') into v_unknown
  from jsonb_object_keys(p_options) k
  where k not in ('initiator', 'source_system', 'reason', 'tags', 'priority', 'correlation_id',
                  'parent_correlation_id', 'parent_task_uuid', 'requested_at', 'idempotency_key',
                  'on_duplicate', 'context_checked', 'notify', 'trace_parent', 'start_at',
                  'delay_seconds');
  if v_unknown is not null then
    raise exception 'unknown option: %', v_unknown using errcode = 'TK007';
  end if;
  v_verdict := tasker.submit_tasks(
    jsonb_build_array(p_options || jsonb_build_object('namespace', p_namespace, 'name', p_name,
                                                      'version', p_version, 'context', p_context)),
    p_context_checked => coalesce(
      (p_options ->> 'context_checked')::boolean, false)) #> '{verdicts,0}';
  case v_verdict ->> 'verdict'
    when 'created' then null;
    when 'duplicate' then
      if p_options ->> 'on_duplicate' is distinct from 'return' then
        raise exception 'the same request is already task %', v_verdict ->> 'task_uuid'
          using errcode = 'TK004', detail = v_verdict ->> 'task_uuid';
      end if;
    when 'unknown_template' then
      raise exception '%', v_verdict ->> 'message' using errcode = 'TK001';
    else
      raise exception '%: %', v_verdict ->> 'field', v_verdict ->> 'message'
        using errcode = 'TK007';
  end case;
  if coalesce((p_options ->> 'notify')::boolean, true) then
    perform tasker.notify_servers(null, array['orchestration']);
  end if;
  return (v_verdict ->> 'task_uuid')::uuid;
end
$$;
comment on function tasker.submit_task(text, text, text, jsonb, jsonb) is
  'Creates one task in the caller''s transaction and starts it.';
