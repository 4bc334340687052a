-- Completes batchable steps that have batch_config.items and no handler: the path gives the items,
-- and each batch gets batch_size of them, in their order. The result is {total_items,
-- total_batches}. A path that cannot be evaluated or leads to no list (evaluate_items), and batches
-- that check_batches refuses, end the step in error.
-- Locks: the steps; the caller holds their tasks. o_completed are the steps that made batches,
-- o_deltas what the caller has to roll up, for the others too. Source: ADR 0039.
create or replace function tasker.cut_batches(
  p_step_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null,
  out o_completed uuid[], out o_deltas tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_step    record;
  v_items   jsonb;
  v_batches jsonb;
  v_error   jsonb;
  v_message text;
begin
  o_completed := '{}';
  o_deltas := '{}';
  for v_step in
    select s.workflow_step_uuid, s.task_uuid, s.handoffs, n.named_step_uuid,
           n.batch ->> 'items' as path, (n.batch ->> 'batch_size')::int as size
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.state = 'pending' and s.is_automatic and s.is_batchable
    order by u.n
  loop
    v_error := null;
    v_message := null;
    begin
      select i.o_items, i.o_complaint into v_items, v_message
      from tasker.evaluate_items(
        v_step.path, tasker.get_expression_document(v_step.task_uuid, v_step.workflow_step_uuid)) i;
    exception when sqlstate 'TK010' then
      perform tasker.charge_expressions(v_step.task_uuid::text, 500000);
      v_error := jsonb_build_object(
        'type', 'expression_error', 'message', format('batch_config.items %s', sqlerrm),
        'details', jsonb_build_object('path', v_step.path));
    end;
    if v_error is null and v_message is null then
      select coalesce(jsonb_agg(b.items order by b.n), '[]') into v_batches
      from (select (i.ordinality - 1) / v_step.size as n,
                   jsonb_agg(i.value order by i.ordinality) as items
            from jsonb_array_elements(v_items) with ordinality as i
            group by 1) b;
      v_message := tasker.check_batches(v_step.named_step_uuid, v_batches, true);
    end if;
    if v_error is null and v_message is not null then
      v_error := jsonb_build_object('type', 'invalid_batches', 'message', v_message,
                                    'details', jsonb_build_object('path', v_step.path));
    end if;
    if v_error is null then
      perform tasker.record_batches(
        jsonb_build_array(jsonb_build_object('step_uuid', v_step.workflow_step_uuid,
                                             'handoff', v_step.handoffs, 'outcome', 'success',
                                             'batches', v_batches)),
        array[v_step.workflow_step_uuid], v_now);
      o_completed := o_completed || v_step.workflow_step_uuid;
    end if;
    o_deltas := o_deltas || tasker.end_automatic_step(
      v_step.workflow_step_uuid,
      case when v_error is null then
             jsonb_build_object('total_items', jsonb_array_length(v_items),
                                'total_batches', jsonb_array_length(v_batches)) end,
      v_error, p_server_uuid, v_now);
  end loop;
end
$$;
comment on function tasker.cut_batches(uuid[], uuid, timestamptz) is
  'Completes batchable steps that have batch_config.items and no handler.';
