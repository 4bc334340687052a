-- Checks the yields among submitted results: p_results of complete_steps, in which a yield that is
-- not allowed has become a permanent failure, and one of a task with a cancel request a cancelled
-- outcome. Null when none of them is a yield, which is the rule. Types of the failures:
-- checkpoint_not_storable; invalid_yield (after_ms is not a whole number from 0 to 315360000000,
-- ten years); too_many_yields after 10000 since the latest reset; yield_without_progress for the
-- 20th in a row that asks for less than a second and brings no other checkpoint.
-- Locks: none; the caller holds the tasks. Source: ADR 0049.
create or replace function tasker.judge_yields(p_results jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if not jsonb_path_exists(p_results, '$[*].outcome ? (@ == "yielded")') then
    return null;
  end if;
  return (
    select jsonb_agg(
             case
               when g.value ->> 'outcome' <> 'yielded' then g.value
               when t.cancel_requested_at is not null then jsonb_build_object(
                 'outcome', 'cancelled',
                 'error', jsonb_build_object(
                   'type', 'Cancelled', 'message', 'the handler yielded after the cancel request'))
                 || (g.value - array['outcome', 'error', 'result', 'checkpoint', 'after_ms'])
               when j.type is not null then jsonb_build_object(
                 'outcome', 'permanent_failure',
                 'error', jsonb_build_object('type', j.type, 'message', j.message))
                 || (g.value - array['outcome', 'error', 'result', 'checkpoint', 'after_ms'])
               else g.value end order by g.ordinality)
    from jsonb_array_elements(p_results) with ordinality as g
    left join tasker.tasks t on t.task_uuid = (g.value ->> 'task_uuid')::uuid
    left join tasker.workflow_step_documents d
      on d.workflow_step_uuid = (g.value ->> 'step_uuid')::uuid
    left join lateral (
      select v.type, v.message
      from (values (1, 'invalid_yield', 'after_ms must be a whole number from 0 to 315360000000',
                    not (coalesce(g.value ->> 'after_ms', '0') ~ '^[0-9]{1,12}$'
                         and lpad(coalesce(g.value ->> 'after_ms', '0'), 12, '0')
                           <= '315360000000')),
                   (2, 'checkpoint_not_storable', tasker.check_checkpoint(g.value -> 'checkpoint'),
                    tasker.check_checkpoint(g.value -> 'checkpoint') is not null),
                   (3, 'too_many_yields', 'the step has yielded 10000 times, which is the limit',
                    d.yields >= 10000),
                   (4, 'yield_without_progress',
                    'the step has yielded 20 times in a row at once, with the same checkpoint',
                    d.stalled_yields >= 19
                      and lpad(coalesce(g.value ->> 'after_ms', '0'), 12, '0') < '000000001000'
                      and coalesce(nullif(g.value -> 'checkpoint', 'null'), d.checkpoint)
                        is not distinct from d.checkpoint)) as v(n, type, message, is_wrong)
      where v.is_wrong
      order by v.n limit 1) j on true);
end
$$;
comment on function tasker.judge_yields(jsonb) is
  'Checks the yields in submitted results; one that is not allowed becomes a permanent failure, '
  'or cancelled.';
