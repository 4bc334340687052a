-- The refusal that a function returns for a null or unknown id: one code, one field and one
-- sentence for each kind of object.
-- p_kind: task, step, template, concurrency-policy, retention-policy, token, dead-letter,
-- dead-message, schedule, backfill, webhook, delivery, user, key, approval, grant or view; code is
-- the kind with -not-found. p_id: the caller's value. p_field: the member that is wrong, where it
-- is not the usual one of the kind.
-- Returns {outcome: refused, code, field, message}. Locks: none. Errors: P0002 for a kind that is
-- not in the list.
create or replace function tasker.refuse_unknown(p_kind text, p_id text, p_field text default null)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_kind  record;
  v_field text;
begin
  select k.* into strict v_kind
  from (
    values ('task', 'task_uuid', 'task', 'the uuid of a task; list_tasks() lists them'),
           ('step', 'step_uuid', 'step',
            'the uuid of a step of this task; get_step_documents(task_uuid) lists them'),
           ('template', 'name', 'namespace or template',
            'a registered namespace and template; get_templates() lists them'),
           ('concurrency-policy', 'policy_uuid', 'concurrency policy',
            'the uuid of a policy; list_concurrency_policies() lists them'),
           ('retention-policy', 'namespace', 'retention policy for',
            'the namespace, template and state of a policy; get_retention_document() lists them'),
           ('token', 'token', 'token of a bulk action',
            'the token that preview_bulk_action() returned'),
           ('dead-letter', 'dlq_entry_uuid', 'dead letter',
            'the uuid of a dead letter; get_dlq_documents() lists them'),
           ('dead-message', 'dead_message_uuid', 'parked message',
            'the uuid of a parked message; list_dead_messages() lists them'),
           ('view', 'view_uuid', 'view',
            'the uuid of a view that the caller may delete; list_views() lists them'),
           ('user', 'user_uuid', 'user', 'the uuid of a user; list_access() lists them'),
           ('key', 'key_uuid', 'API key',
            'the uuid of an API key that is not revoked; list_access() lists them'),
           ('approval', 'approval_uuid', 'approval',
            'the uuid of an approval that the caller may see; list_approvals() lists them'),
           ('schedule', 'schedule_uuid', 'schedule',
            'the uuid of a schedule that is not deleted; get_schedule_documents() lists them'),
           ('backfill', 'backfill_uuid', 'backfill',
            'the uuid of a backfill of this schedule; get_backfill_documents() lists them'),
           ('webhook', 'webhook_uuid', 'webhook',
            'the uuid of a webhook that is not deleted; get_webhook_documents() lists them'),
           ('delivery', 'delivery_uuid', 'delivery',
            'the uuid of a delivery of this webhook; list_webhook_deliveries() lists them'),
           ('grant', 'grant_uuid', 'grant',
            'the uuid of a grant; list_access() lists them')) as k(kind, field, noun, expected)
  where k.kind = p_kind;
  v_field := coalesce(p_field, v_kind.field);
  return jsonb_build_object(
    'outcome', 'refused', 'code', v_kind.kind || '-not-found', 'field', v_field,
    'message', format('%s: the caller must give %s',
                      case when p_id is null then v_field || ' is null'
                           else format('there is no %s %s', v_kind.noun, p_id) end,
                      v_kind.expected));
end
$$;
comment on function tasker.refuse_unknown(text, text, text) is
  'The refusal that a function returns for a null or unknown id.';
