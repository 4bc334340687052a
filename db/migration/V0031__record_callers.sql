-- breaking-change: no
-- Who was authenticated, beside who is said to have asked; and the log of write requests only grows.

alter table tasker.operator_actions
  add column authenticated_as varchar(160) default nullif(current_setting('tasker.caller', true), '');
comment on column tasker.operator_actions.authenticated_as is
  'Who it was over REST, as authenticated, where acted_by is what the request says; null when it came another way.';
