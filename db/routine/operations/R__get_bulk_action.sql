-- What the token of a bulk action allows: {action, namespace}, where namespace is null for an
-- action on all namespaces. Null when there is no such token, or when it was made by another caller
-- than p_made_by. Reads only.
create or replace function tasker.get_bulk_action(p_token uuid, p_made_by text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('action', b.action, 'namespace', b.filter ->> 'namespace')
  from tasker.bulk_actions b where b.token = p_token and b.made_by = p_made_by
$$;
comment on function tasker.get_bulk_action(uuid, text) is
  'What the token of a bulk action allows; null when the caller has no such token.';
