-- What the schemas of a template mark as sealed (ADR 0095), for the functions that refuse clear
-- text. Templates that were registered before mark nothing.

alter table tasker.named_tasks add column sealed jsonb;
comment on column tasker.named_tasks.sealed is
  'Null when nothing of the template is sealed; otherwise {context?, errors?}: the places of the '
  'context, as read_sealed_places has them, and whether messages of errors are sealed.';

alter table tasker.named_tasks_named_steps add column sealed jsonb;
comment on column tasker.named_tasks_named_steps.sealed is
  'The sealed places of the result, of the payload of the signal or of the values of the '
  'approval, as read_sealed_places has them; null: none.';
