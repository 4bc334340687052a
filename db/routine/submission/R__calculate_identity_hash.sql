-- SHA-256 over the identity of a request: the template's key and the canonical context or, when the
-- caller gives one, the idempotency key instead of the context. Null when every request creates a
-- new task. Fields are joined by U+001F, which no name can contain. Stable, as convert_to and
-- concat_ws are: the planner would not inline it otherwise.
create or replace function tasker.calculate_identity_hash(
  p_strategy tasker.identity_strategy, p_namespace text, p_name text, p_version text,
  p_context jsonb,
  p_idempotency_key text default null)
returns bytea
language sql stable parallel safe
as $$
  select case
           when p_idempotency_key is not null then
             sha256(convert_to(concat_ws(e'\x1f', 'key', p_namespace, p_name, p_version,
                                         p_idempotency_key),
                               'UTF8'))
           when p_strategy = 'strict' then
             sha256(convert_to(concat_ws(e'\x1f', 'context', p_namespace, p_name, p_version,
                                         tasker.canonical_json(p_context)),
                               'UTF8')) end
$$;
comment on function tasker.calculate_identity_hash(
  tasker.identity_strategy, text, text, text, jsonb, text) is
  'SHA-256 over the identity of a request; null when every request creates a task of its own.';
