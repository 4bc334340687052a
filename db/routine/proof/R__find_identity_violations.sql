-- Tasks that do not have the identity of their request, or share one although their template's
-- reuse forbids it: one row per finding. The tasks of an identity are those that have its hash or
-- had it. Does not require that the successor of a task exists: it may be purged first. Without
-- nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0028, docs/reference/invariants.md.
create or replace function tasker.find_identity_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  select 'identity_is_kept',
         jsonb_build_object('task_uuid', t.task_uuid, 'identity_strategy', nt.identity_strategy,
                            'is_keyed', t.is_keyed)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  cross join lateral (select coalesce(t.identity_hash,
                                      t.former_identity_hash) is not null as has_identity) h
  where t.created_at >= coalesce(p_since, '-infinity')
    and (h.has_identity <> (nt.identity_strategy <> 'always_unique' or t.is_keyed)
         or (nt.identity_strategy = 'caller_provided' and not t.is_keyed))
  union all
  select 'identity_has_one_unfinished_task',
         jsonb_build_object('identity_hash', encode(i.identity_hash, 'hex'), 'tasks', i.tasks,
                            'unfinished', i.unfinished, 'holders', i.holders,
                            'reuse', nt.identity_reuse)
  from (select coalesce(t.identity_hash, t.former_identity_hash) as identity_hash,
               min(t.named_task_uuid::text)::uuid as named_task_uuid, count(*) as tasks,
               count(*) filter (where t.completed_at is null) as unfinished,
               count(t.identity_hash) as holders
        from tasker.tasks t
        where coalesce(t.identity_hash, t.former_identity_hash) is not null
        group by 1
        having count(*) > 1 and max(t.created_at) >= coalesce(p_since, '-infinity')) i
  join tasker.named_tasks nt on nt.named_task_uuid = i.named_task_uuid
  where i.unfinished > 1 or i.holders > 1 or nt.identity_reuse = 'never'
  union all
  -- An operator may have closed the failed task afterwards.
  select 'identity_is_taken_over_as_its_template_says',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state,
                            'replaced_by_task_uuid', t.replaced_by_task_uuid,
                            'reuse', nt.identity_reuse)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join tasker.tasks s on s.task_uuid = t.replaced_by_task_uuid
  where t.replaced_by_task_uuid is not null
    and t.created_at >= coalesce(p_since, '-infinity')
    and (t.completed_at is null
         or nt.identity_reuse = 'never'
         or (nt.identity_reuse = 'after_failure'
             and t.state not in ('error', 'cancelled')
             and not exists (
               select from tasker.task_transitions h
               where h.task_uuid = t.task_uuid and h.from_state = 'error' and h.to_state = t.state))
         or (s.task_uuid is not null
             and (s.replaces_task_uuid, coalesce(s.identity_hash, s.former_identity_hash))
               is distinct from (t.task_uuid, t.former_identity_hash)))
  union all
  select 'identity_is_taken_over_as_its_template_says',
         jsonb_build_object('task_uuid', t.task_uuid, 'replaces_task_uuid', t.replaces_task_uuid)
  from tasker.tasks t
  join tasker.tasks p on p.task_uuid = t.replaces_task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
    and p.replaced_by_task_uuid is distinct from t.task_uuid
$$;
comment on function tasker.find_identity_violations(timestamptz) is
  'Tasks that do not have the identity of their request, or share one although their template''s '
  'reuse forbids it: one row per finding.';
