-- breaking-change: no
-- The trace that a task was asked for in (W3C traceparent), for handlers and log lines. Beside the context, which is written once and read with every
-- claimed step; not on the row that moves. Not valid: rows that are there have none, and need not be looked at.
alter table tasker.task_contexts add column trace_parent varchar(55);
alter table tasker.task_contexts add constraint trace_parent_is_of_w3c check
  (trace_parent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
comment on column tasker.task_contexts.trace_parent is 'The trace that the task was asked for in, as W3C Trace Context has it in the header traceparent.';
