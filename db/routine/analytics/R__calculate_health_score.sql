-- A health score between 0 and 1: half of it the share of ended tasks that completed, 0.3 the share
-- that did not fail, 0.2 the share of connections that are free. 1 when there are no tasks. Of
-- tasks of which none has ended, none has failed.
create or replace function tasker.calculate_health_score(
  p_completed bigint, p_failed bigint, p_ended bigint, p_total bigint, p_active_connections bigint,
  p_max_connections bigint)
returns numeric
language sql immutable parallel safe
as $$
  select case
           when p_total = 0 then 1.0000
           else round(
             case when p_ended = 0 then 0.8
                  else 0.5 * p_completed / p_ended + 0.3 * (1 - p_failed::numeric / p_ended) end
               + 0.2 * (1 - least(p_active_connections::numeric / nullif(p_max_connections, 0), 1)),
             4) end
$$;
comment on function tasker.calculate_health_score(bigint, bigint, bigint, bigint, bigint, bigint) is
  'A health score between 0 and 1 from the outcomes of tasks, failures and free connections.';
