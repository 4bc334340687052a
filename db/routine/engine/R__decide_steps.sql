-- Completes decisions that have rules and no handler: the first rule whose predicate holds chooses,
-- or otherwise. The step moves from pending to complete, with {chosen, reason} as its result. A
-- predicate that is unknown or cannot be evaluated, and a choice that check_decision refuses, end
-- the step in error, which is counted at once, because it decides which other steps of the task may
-- start.
-- Locks: the steps; the caller holds their tasks. o_completed are the steps that have decided,
-- o_deltas what the caller has to roll up, for the others too.
create or replace function tasker.decide_steps(
  p_step_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null,
  out o_completed uuid[], out o_deltas tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_step     record;
  v_rule     record;
  v_document jsonb;
  v_chosen   jsonb;
  v_reason   text;
  v_error    jsonb;
  v_message  text;
  v_key      text;
  v_known    jsonb := '{}';
  v_ends     jsonb := '[]';
begin
  o_completed := '{}';
  o_deltas := '{}';
  for v_step in
    select s.workflow_step_uuid, s.task_uuid, s.handoffs, n.rules, n.named_step_uuid,
           n.growth_rank is not null as is_grown,
           n.growth_rank is not null
             or nt.total_steps - nt.initial_steps > nt.max_steps_per_decision as has_limits,
           n.rules::text like '%results%' as asks_for_results
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    where s.state = 'pending' and s.is_automatic and s.is_decision
    order by u.n
  loop
    v_chosen := v_step.rules -> 'otherwise';
    v_reason := 'otherwise';
    v_error := null;
    v_document := tasker.get_expression_document(
      v_step.task_uuid, v_step.workflow_step_uuid, v_step.asks_for_results);
    begin
      for v_rule in
        select r.ordinality - 1 as i, r.value ->> 'when' as predicate, r.value -> 'then' as chosen
        from jsonb_array_elements(v_step.rules -> 'rules') with ordinality as r
        order by r.ordinality
      loop
        if tasker.evaluate_predicate(v_rule.predicate, v_document) then
          v_chosen := v_rule.chosen;
          v_reason := format('rules[%s]: %s', v_rule.i, v_rule.predicate);
          exit;
        end if;
      end loop;
    exception when sqlstate 'TK010' then
      perform tasker.charge_expressions(v_step.task_uuid::text, 500000);
      -- The error shows what the rules could have asked for.
      v_document := tasker.get_expression_document(v_step.task_uuid, v_step.workflow_step_uuid);
      -- Without the context, which not everyone may see who sees errors; and without a document
      -- that is larger than an error should be.
      v_error := jsonb_build_object(
        'type', 'expression_error', 'message', format('rules[%s].when %s', v_rule.i, sqlerrm),
        'details', jsonb_build_object('path', v_rule.predicate, 'rule', v_rule.i) || case
          when pg_column_size(v_document - 'context') <= 16384 then
            jsonb_build_object('document', v_document - 'context')
          else '{}' end);
    end;
    if v_error is null then
      -- A template is asked once for each of its choices.
      v_key := v_step.named_step_uuid || v_chosen::text;
      if not v_known ? v_key then
        v_known := v_known || jsonb_build_object(
          v_key, tasker.check_choice(v_step.named_step_uuid, v_chosen));
      end if;
      v_message := coalesce(v_known ->> v_key,
                            case when v_step.has_limits then tasker.check_decision(
                                   v_step.workflow_step_uuid, v_chosen, true) end);
      if v_message is not null then
        v_error := jsonb_build_object(
          'type', 'invalid_decision', 'message', v_message,
          'details', jsonb_build_object('decision', v_chosen, 'reason', v_reason));
      end if;
    end if;

    v_ends := v_ends || jsonb_build_object(
      'step_uuid', v_step.workflow_step_uuid,
      'result', case
        when v_error is null then jsonb_build_object('chosen', v_chosen, 'reason', v_reason) end,
      'error', v_error);
    if v_error is null then
      insert into tasker.decision_outcomes
        (workflow_step_uuid, task_uuid, decided_at, handoff, depth, chosen, reason)
      values (v_step.workflow_step_uuid, v_step.task_uuid, v_now, v_step.handoffs,
              case
                when v_step.is_grown then tasker.calculate_decision_depth(v_step.workflow_step_uuid)
                else 1 end,
              array(select jsonb_array_elements_text(v_chosen)), v_reason);
      o_completed := o_completed || v_step.workflow_step_uuid;
    end if;
  end loop;
  if v_ends <> '[]' then
    o_deltas := tasker.end_automatic_steps(v_ends, p_server_uuid, v_now);
  end if;
end
$$;
comment on function tasker.decide_steps(uuid[], uuid, timestamptz) is
  'Completes decisions that have rules and no handler.';
