-- Whether a server that has published these beans, resolvers and gaps can run a step. Null lists mean that it has not said,
-- and count as everything. A resolver that is there counts as having what it is asked for until it was seen not to.
create or replace function tasker.has_handler(
  p_handlers text[], p_resolvers text[], p_missing text[], p_callable text, p_resolver text, p_handler_key text)
returns boolean
language sql immutable parallel safe
as $$
  select p_handler_key <> all (p_missing)
         and case when p_resolver is not null then p_resolvers is null or p_resolver = any (p_resolvers)
                  else p_handlers is null or p_callable = any (p_handlers) end
$$;
comment on function tasker.has_handler(text[], text[], text[], text, text, text) is
  'Whether a server that has published these beans, resolvers and gaps can run a step.';
