-- Concurrency policies as a JSON array, by namespace, template and step, each with how many hold a
-- slot and how many wait.
-- p_filter: {policy_uuid?, namespace?, name?}. p_entries: how many holders and waiters of each to
-- list: holders that have been there longest, and waiters that are first in line, first; position
-- counts from 1 per key.
-- Source: ADR 0013.
create or replace function tasker.list_concurrency_policies(
  p_filter jsonb default '{}', p_entries int default 0)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_strip_nulls(
                                jsonb_build_object(
                                  'policy_uuid', p.policy_uuid, 'namespace', p.namespace_name,
                                  'name', p.template_name, 'step', p.step_name, 'counts', p.counts,
                                  'key', p.key_pointer, 'when_full', p.when_full,
                                  'limit', coalesce(p.set_limit, p.template_limit),
                                  'template_limit', p.template_limit, 'set_limit', p.set_limit,
                                  'set_by', p.set_by, 'claimed_actor', p.claimed_actor,
                                  'holding', n.holding, 'waiting', n.waiting, 'holders', e.holders,
                                  'waiters', e.waiters)) order by p.namespace_name,
                              p.template_name, p.step_name nulls first, p.policy_uuid),
                    '[]')
    from tasker.concurrency_policies p
    cross join lateral (select count(*) filter (where s.admitted_at is not null) as holding,
                               count(*) filter (where s.admitted_at is null) as waiting
                        from tasker.concurrency_slots s
                        where s.policy_uuid = p.policy_uuid) n
    cross join lateral (
      select jsonb_agg(h.entry order by h.since) filter (where h.since is not null) as holders,
             jsonb_agg(h.entry order by h.claim_rank,
                       h.waiting_position) filter (where h.since is null) as waiters
      from ((select s.admitted_at as since, s.claim_rank, s.waiting_position,
                    jsonb_strip_nulls(jsonb_build_object(
                                        'task_uuid', s.task_uuid,
                                        'step_uuid', nullif(s.holder_uuid, s.task_uuid),
                                        'key', nullif(s.key, ''), 'handoff', nullif(s.handoff, 0),
                                        'since', s.admitted_at)) as entry
             from tasker.concurrency_slots s
             where s.policy_uuid = p.policy_uuid and s.admitted_at is not null
             order by s.admitted_at
             limit p_entries) union all (
              select null, s.claim_rank, s.waiting_position,
                     jsonb_strip_nulls(
                       jsonb_build_object(
                         'task_uuid', s.task_uuid, 'step_uuid', nullif(s.holder_uuid, s.task_uuid),
                         'key', nullif(s.key, ''), 'since', s.requested_at,
                         'position', row_number() over (
                           partition by s.key order by s.claim_rank, s.waiting_position)))
              from tasker.concurrency_slots s
              where s.policy_uuid = p.policy_uuid and s.admitted_at is null
              order by s.claim_rank, s.waiting_position limit p_entries)) h) e
    where (p_filter ->> 'policy_uuid' is null or p.policy_uuid = (p_filter ->> 'policy_uuid')::uuid)
      and (p_filter ->> 'namespace' is null or p.namespace_name = p_filter ->> 'namespace')
      and (p_filter ->> 'name' is null or p.template_name = p_filter ->> 'name'));
end
$$;
comment on function tasker.list_concurrency_policies(jsonb, int) is
  'Concurrency policies as a JSON array, each with how many hold a slot and how many wait.';
