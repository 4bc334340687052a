-- The rank of a step in the claim: the order of its task, less a minute (a point of priority) for
-- every attempt before this one. The next attempt reuses the number of one that was given back, so
-- the rank never gets worse.
create or replace function tasker.calculate_claim_rank(p_claim_order bigint, p_attempt int)
returns bigint
language sql immutable parallel safe
as $$
  select p_claim_order - greatest(p_attempt - 1, 0) * 60000
$$;
comment on function tasker.calculate_claim_rank(bigint, int) is
  'The rank of a step in the claim: the order of its task, less a minute for every attempt before '
  'this one.';
