-- The result of a batch step whose workers have ended: {total, done, failed, failures, results}.
-- failures are the first 100 workers that failed, {batch_id, type, message} each; results has for
-- every batch, in order, {batch_id, result}, and for one that failed {batch_id, error: {type,
-- message}}. Without results where there are more than 1000 batches, or the results have more than
-- 1 MiB: get_batch_results reads them by page.
-- Locks: none. Source: ADR 0039.
create or replace function tasker.get_batch_summary(p_batch_step_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_batch    tasker.batches;
  v_failures jsonb;
  v_results  jsonb;
begin
  select b.* into v_batch from tasker.batches b where b.workflow_step_uuid = p_batch_step_uuid;
  select coalesce(jsonb_agg(jsonb_build_object('batch_id', r.batch_id, 'type', r.error ->> 'type',
                                               'message', left(r.error ->> 'message',
                                                               200)) order by r.batch_number),
                  '[]') into v_failures
  from tasker.get_batch_results(p_batch_step_uuid, 0, 100, 'error') r
  where v_batch.failed_workers > 0;
  if v_batch.total_workers <= 1000 then
    select coalesce(jsonb_agg(
                      jsonb_build_object('batch_id', r.batch_id) || case
                        when r.state = 'error' then jsonb_build_object(
                          'error', jsonb_build_object('type', r.error ->> 'type',
                                                      'message', left(r.error ->> 'message', 200)))
                        else jsonb_build_object('result', r.result) end order by r.batch_number),
                    '[]') into v_results
    from tasker.get_batch_results(p_batch_step_uuid, 0, 1000) r;
  end if;
  return jsonb_build_object('total', v_batch.total_workers, 'done', v_batch.done_workers,
                            'failed', v_batch.failed_workers, 'failures', v_failures) || case
    when octet_length(v_results::text) <= 1048576 then jsonb_build_object('results', v_results)
    else '{}' end;
end
$$;
comment on function tasker.get_batch_summary(uuid) is
  'The result of a batch step whose workers have ended: {total, done, failed, failures, results}.';
