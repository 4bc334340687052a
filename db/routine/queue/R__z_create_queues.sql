-- Creates the queues of every installation, and the indexes of the queues of its namespaces. Runs
-- after all functions exist.
select tasker.ensure_task_queue(q)
from unnest(array['orchestration_step_results', 'orchestration_task_requests',
                  'orchestration_task_requests_refused', 'orchestration_task_finalizations']
            || array(select tasker.worker_queue(ns.name) from tasker.task_namespaces ns)) q;
