-- Why an action on a webhook would change nothing now: the rule of change_webhook. Null when it
-- would, otherwise the reply already_done.
-- Locks: none; change_webhook holds the webhook. Source: ADR 0054, ADR 0058.
create or replace function tasker.judge_webhook_action(p_webhook tasker.webhooks, p_action text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('outcome', 'already_done', 'webhook_uuid', p_webhook.webhook_uuid,
                            'version', p_webhook.version)
  where p_action = 'pause' and p_webhook.paused_at is not null
    or p_action = 'resume' and p_webhook.paused_at is null
$$;
comment on function tasker.judge_webhook_action(tasker.webhooks, text) is
  'Why an action on a webhook would change nothing now: the rule of change_webhook.';
