-- The queues that every installation has. Runs after all functions are there.
select tasker.ensure_task_queue(q) from unnest(array[
  'orchestration_step_results', 'orchestration_task_requests', 'orchestration_task_requests_refused',
  'orchestration_task_finalizations']) q;
