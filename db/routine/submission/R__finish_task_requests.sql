-- Removes requests from the queue permanently. Those that were refused move to
-- orchestration_task_requests_refused with the problem, where an operator can read and resend them.
-- p_refused: array of {msg_id, message, problem}.
create or replace function tasker.finish_task_requests(
  p_msg_ids jsonb, p_refused jsonb default '[]')
returns void
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_array_length(p_refused) > 0 then
    perform pgmq.send_batch(
      'orchestration_task_requests_refused',
      (select array_agg(jsonb_build_object('request', r -> 'message', 'problem', r -> 'problem'))
       from jsonb_array_elements(p_refused) r));
  end if;
  perform pgmq.delete('orchestration_task_requests',
                      array(select jsonb_array_elements_text(p_msg_ids)::bigint));
end
$$;
comment on function tasker.finish_task_requests(jsonb, jsonb) is
  'Removes requests from the queue permanently; those that were refused move to '
  'orchestration_task_requests_refused.';
