-- breaking-change: no
-- Retries and a template's SLA raise the place of a task's steps in the claim. Null until somebody is late.
alter table tasker.tasks add column sla_breached_at timestamptz;
comment on column tasker.tasks.sla_breached_at is
  'When it was noticed that the task is older than lifecycle.sla_minutes; from then on claim_order is lower by 100 points.';
comment on column tasker.tasks.claim_order is
  'Milliseconds since the epoch of creation, less one minute per point of priority: the lower, the earlier its steps are claimed. Age and priority in one number; lowered once, when the SLA is breached.';
comment on column tasker.named_tasks.sla_minutes is
  'lifecycle.sla_minutes: a task that is older than this and unfinished gets 100 points of priority.';
