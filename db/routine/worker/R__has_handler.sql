-- Whether a worker that has declared these handlers and resolvers can run a step. A null list means
-- that it declared none and counts as everything. A resolver counts as having every handler until
-- the worker declines it.
create or replace function tasker.has_handler(
  p_handlers text[], p_resolvers text[], p_unable text[], p_callable text, p_resolver text,
  p_handler_key text)
returns boolean
language sql immutable parallel safe
as $$
  select p_handler_key <> all (p_unable)
         and case
           when p_resolver is not null then p_resolvers is null or p_resolver = any (p_resolvers)
           else p_handlers is null or p_callable = any (p_handlers) end
$$;
comment on function tasker.has_handler(text[], text[], text[], text, text, text) is
  'Whether a worker that has declared these handlers and resolvers can run a step.';
