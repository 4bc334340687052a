-- breaking-change: no
-- A submitted success can fail to be processed like anything else; a step whose claimed step could not be made has a cause
-- to be kept, and its message is gone by then.
insert into tasker.workflow_step_transition_rules (from_state, to_state, actor, meaning) values
  ('enqueued_for_orchestration', 'error', 'orchestrator', 'cannot be processed');

alter table tasker.dead_messages alter column msg_id drop not null;
