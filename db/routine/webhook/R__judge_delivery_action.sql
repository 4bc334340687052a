-- Why an action on a delivery of a webhook is not possible now: the rule of change_delivery. Null
-- when it is, otherwise the reply: refused, with code, state and message.
-- Locks: none; change_delivery holds the delivery. Source: ADR 0054, ADR 0058.
create or replace function tasker.judge_delivery_action(
  p_delivery tasker.webhook_deliveries, p_action text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'outcome', 'refused', 'code', 'delivery-not-movable', 'state', p_delivery.state,
           'message', format(
             'the delivery is %s: only one that is %s can do that', p_delivery.state,
             case p_action when 'retry' then 'dead or discarded' else 'pending or dead' end))
  where not p_delivery.state
      = any (case p_action when 'retry' then '{dead,discarded}'::text[] else '{pending,dead}' end)
$$;
comment on function tasker.judge_delivery_action(tasker.webhook_deliveries, text) is
  'Why an action on a delivery of a webhook is not possible now: the rule of change_delivery.';
