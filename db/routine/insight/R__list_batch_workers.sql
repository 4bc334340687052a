-- A page of the workers of a batch as the REST interface shows steps, in the order of the batches:
-- {steps, next}. p_after is the number of the batch that the page before ended with, 0 for the
-- first page; next that of the next page as a text, null on the last. {} when the task has no such
-- batch.
-- p_state: only the workers in that state; one that no step can have is answered with
-- {known_states}. p_states: also states, with a letter for each of the next 10 000 workers
-- (get_batch_states). Results and errors of more than p_most_bytes are null: see limit_results.
-- Locks: none. Source: ADR 0039, ADR 0058.
create or replace function tasker.list_batch_workers(
  p_task_uuid uuid, p_batch_step_uuid uuid, p_after int default 0, p_limit int default 100,
  p_state text default null, p_states boolean default false, p_most_bytes int default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_page    uuid[];
  v_last    int;
  v_created int;
begin
  select b.created_workers into v_created
  from tasker.batches b
  where b.task_uuid = p_task_uuid and b.workflow_step_uuid = p_batch_step_uuid;
  if not found then
    return '{}';
  end if;
  if p_state <> all (enum_range(null::tasker.step_state)::text[]) then
    return jsonb_build_object('known_states', enum_range(null::tasker.step_state));
  end if;
  select coalesce(array_agg(w.workflow_step_uuid), '{}'), max(w.batch_number) into v_page, v_last
  from tasker.get_batch_results(p_batch_step_uuid, p_after, p_limit, p_state) w;
  return jsonb_build_object(
    'steps', tasker.get_documents_of_steps(p_task_uuid, v_page, p_most_bytes),
    'next', case when v_last < v_created then v_last::text end) || case
    when p_states then
      jsonb_build_object('states', tasker.get_batch_states(p_batch_step_uuid, p_after))
    else '{}' end;
end
$$;
comment on function tasker.list_batch_workers(uuid, uuid, int, int, text, boolean, int) is
  'A page of the workers of a batch as the REST interface shows steps, in the order of the '
  'batches.';
