-- breaking-change: no
-- The comment promised what nothing does.
comment on column tasker.named_tasks.sla_minutes is
  'lifecycle.sla_minutes as the template has it. Nothing acts on it yet; it is meant to raise the priority of an older task.';
