-- Claims steps from the queues, without their documents: takes messages and accepts the offers in
-- them. Leaves offers that the worker (p_server_uuid) does not serve on their queues.
-- Locks: message rows (skip locked), then step rows by uuid.
create or replace function tasker.claim_queued_steps(
  p_server_uuid uuid, p_limit int, p_namespaces text[], p_lease_seconds int,
  p_now timestamptz default null)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_claimed   uuid[] := '{}';
  v_served    jsonb := tasker.get_served_handlers(p_server_uuid);
  v_queues    text[];
  v_namespace text;
  v_left      int := p_limit;
  v_share     int;
  v_taken     record;
  v_pass      int;
begin
  v_queues := tasker.order_queues(p_namespaces);
  -- First a fair share from each queue that has work, then the rest in the same order.
  for v_pass in 1..2 loop
    foreach v_namespace in array v_queues loop
      exit when v_left <= 0;
      v_share := case v_pass when 1 then greatest(1, p_limit / cardinality(v_queues))
                      else v_left end;
      v_taken := tasker.take_messages(
        v_namespace, least(v_share, v_left),
        case when v_served ? v_namespace then
               array(select jsonb_array_elements_text(v_served -> v_namespace)) end);
      if cardinality(v_taken.o_step_uuids) > 0 then
        v_claimed := v_claimed || tasker.claim_offered_steps(
          v_taken.o_step_uuids, v_taken.o_handoffs, p_server_uuid, p_lease_seconds, p_now,
          v_served);
        v_left := p_limit - cardinality(v_claimed);
      end if;
    end loop;
    exit when v_left <= 0 or cardinality(v_queues) <= 1;
  end loop;
  return v_claimed;
end
$$;
comment on function tasker.claim_queued_steps(uuid, int, text[], int, timestamptz) is
  'Claims steps from the queues, without their documents: takes messages and accepts the offers '
  'in them.';
