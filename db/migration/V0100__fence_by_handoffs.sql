-- breaking-change: yes, calls about a step name its handoff where they named its attempt
-- Fence and attempts are two numbers (docs/adr/0030). handoffs counts every handoff and fences every call about a step; attempts
-- counts those whose work ran or failed, and is what the retry budget, the backoff, handlers and operators read.

alter table tasker.workflow_steps
  add column handoffs int not null default 0,
  alter column attempts type int,
  alter column attempts_before_reset type int,
  alter column max_attempts type int,
  add constraint attempts_were_handed_off check (attempts <= handoffs);
comment on column tasker.workflow_steps.handoffs is
  'Number of the latest handoff, 0 before the first. It never goes back and fences every call about the step.';
comment on column tasker.workflow_steps.attempts is
  'Number of the latest attempt that ran, failed or is under way: what the retry budget and the backoff count. A handoff that is given back unstarted keeps it.';
comment on column tasker.workflow_steps.attempts_before_reset is
  'Attempts that an operator has forgiven: max_attempts and backoff count from here. attempts itself goes on from where it was.';

alter table tasker.workflow_step_transitions add column handoff int not null, alter column attempt type int;
comment on column tasker.workflow_step_transitions.handoff is 'The handoff that the move is about, 0 before the first.';
alter table tasker.workflow_step_result_audit add column handoff int not null, alter column attempt type int;
comment on column tasker.workflow_step_result_audit.handoff is 'The handoff that the result is of, 0 when an operator completed the step before its first.';

alter table tasker.unclaimed_offers rename column attempt to handoff;
alter table tasker.unclaimed_offers alter column handoff type int;
alter table tasker.concurrency_slots rename column attempt to handoff;
alter table tasker.concurrency_slots alter column handoff type int;
comment on column tasker.concurrency_slots.handoff is 'The handoff for which it is held, 0 for a task; null before.';

alter type tasker.step_handoff rename attribute attempt to handoff;
alter type tasker.step_handoff alter attribute handoff type int;
alter type tasker.step_handoff add attribute attempt int;
