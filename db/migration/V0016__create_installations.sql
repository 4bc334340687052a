-- What is installed of what may change without a migration: functions, views and triggers. Written
-- by db/install/finish.sql in the transaction that installs them (ADR 0085), and read by each
-- server before it works: whether it has something to install, or finds a newer version.

create table tasker.installations (
  installation    bigint       generated always as identity primary key,
  version         varchar(50)  not null,
  manifest_digest varchar(64)  not null,
  installed_by    varchar(128) not null default current_user,
  installed_at    timestamptz  not null default clock_timestamp());
comment on table tasker.installations is
  'One row for each version whose functions, views and triggers were installed; the last one is '
  'there.';
comment on column tasker.installations.manifest_digest is
  'SHA-256 of the files, in their order.';

create table tasker.installed_routines (
  file      varchar(200) primary key,
  digest    varchar(64)  not null,
  signature varchar(64)  not null,
  objects   text[]       not null);
comment on table tasker.installed_routines is
  'The parts of what is installed, as the version that installed them lists them.';
comment on column tasker.installed_routines.file is
  'Relative to db/routine; a trigger is a part of its own, behind the file of its function.';
comment on column tasker.installed_routines.digest is 'SHA-256 of the text.';
comment on column tasker.installed_routines.signature is
  'SHA-256 of what a replacement cannot change: a function with its arguments and results, the '
  'whole text of a view; empty for other parts.';
comment on column tasker.installed_routines.objects is
  'What the text creates: function name, view name, trigger name on table.';
