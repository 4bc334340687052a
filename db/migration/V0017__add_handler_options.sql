-- Keys of a step that only its handler reads. They need no columns of their own, which functions
-- would list one by one.

alter table tasker.named_tasks_named_steps add column handler_options jsonb;
comment on column tasker.named_tasks_named_steps.handler_options is
  'Keys of the step that only its handler reads, see get_handler_options; null: none.';
