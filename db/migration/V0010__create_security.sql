-- Who may do what: users, API keys, roles, grants, and the log of what was asked to be changed over REST.

create table tasker.access_permissions (
  permission varchar(64) primary key,
  constraint resource_and_verb check (permission ~ '^([a-z]+:([a-z_]+|\*)|\*:\*)$'));
comment on table tasker.access_permissions is
  'The permissions that can be granted, with resource:* for all of a resource and *:* for all. Filled by db/routine/security/R__access_permissions.sql.';

create table tasker.access_roles (
  role        varchar(64) primary key,
  description text        not null);
comment on table tasker.access_roles is 'Names for sets of permissions. Groups of an external identity store, and of a token, are roles of the same name.';

create table tasker.access_role_permissions (
  role       varchar(64) not null references tasker.access_roles on delete cascade,
  permission varchar(64) not null references tasker.access_permissions,
  primary key (role, permission));
comment on table tasker.access_role_permissions is 'What each role may do.';

create table tasker.access_users (
  user_uuid           uuid         primary key default tasker.uuid_v7(),
  name                varchar(128) not null,
  password_hash       varchar(300),
  password_changed_at timestamptz,
  created_at          timestamptz  not null default now(),
  created_by          varchar(160) not null,
  disabled_at         timestamptz,
  disabled_by         varchar(160),
  constraint name_fits_http_basic check (name ~ '^[^[:cntrl:]:]+$' and btrim(name) = name),
  constraint password_is_a_hash check (password_hash like 'PBKDF2WithHmacSHA%:%:%:%'),
  constraint hash_has_its_time check ((password_hash is null) = (password_changed_at is null)),
  constraint somebody_disabled_it check ((disabled_at is null) = (disabled_by is null)));
comment on table tasker.access_users is 'People and programs that log in by name and password. No password is here, only its PBKDF2 hash.';
comment on column tasker.access_users.password_hash is 'algorithm:iterations:salt:hash, as Pbkdf2PasswordHash of Jakarta Security writes it; null: cannot log in by password.';
create unique index access_users_name_key on tasker.access_users (lower(name));

create table tasker.access_keys (
  key_uuid     uuid         primary key default tasker.uuid_v7(),
  name         varchar(128) not null,
  key_hash     bytea        not null,
  hint         varchar(16)  not null,
  created_at   timestamptz  not null default now(),
  created_by   varchar(160) not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  revoked_by   varchar(160),
  constraint access_keys_key_hash_key unique (key_hash),
  constraint name_is_printable check (name ~ '^[^[:cntrl:]]+$' and btrim(name) = name),
  constraint hash_is_sha256 check (octet_length(key_hash) = 32),
  constraint somebody_revoked_it check ((revoked_at is null) = (revoked_by is null)));
comment on table tasker.access_keys is 'API keys. The key itself is shown once and kept nowhere, here is its SHA-256.';
comment on column tasker.access_keys.hint is 'The first characters of the key, by which people tell keys apart.';
comment on column tasker.access_keys.last_used_at is 'To the hour: it is written when an hour has passed since it was.';

create table tasker.access_grants (
  grant_uuid uuid         primary key default tasker.uuid_v7(),
  user_uuid  uuid         references tasker.access_users on delete cascade,
  key_uuid   uuid         references tasker.access_keys on delete cascade,
  role       varchar(64)  references tasker.access_roles,
  permission varchar(64)  references tasker.access_permissions,
  namespace  varchar(29),
  granted_at timestamptz  not null default now(),
  granted_by varchar(160) not null,
  constraint one_grantee check (num_nonnulls(user_uuid, key_uuid) = 1),
  constraint role_or_permission check (num_nonnulls(role, permission) = 1),
  constraint granted_once unique nulls not distinct (user_uuid, key_uuid, role, permission, namespace));
comment on table tasker.access_grants is 'Who has which role or permission, in one namespace or, where that is null, in all and for what belongs to none.';

create table tasker.write_requests (
  request_uuid uuid          primary key default tasker.uuid_v7(),
  requested_at timestamptz   not null default clock_timestamp(),
  caller       varchar(160)  not null,
  caller_kind  varchar(16)   not null,
  method       varchar(8)    not null,
  route        varchar(200)  not null,
  path         varchar(1000) not null,
  remote       varchar(64),
  server_uuid  uuid          not null,
  status       smallint,
  answered_at  timestamptz,
  constraint known_kind check (caller_kind in ('user', 'key', 'token', 'external')),
  constraint answer_is_whole check ((status is null) = (answered_at is null)));
comment on table tasker.write_requests is
  'What was asked to be changed over REST: written before it is done, in a transaction of its own; status comes once it is answered. Submissions of tasks are not here but in task_contexts.submitted_by.';
comment on column tasker.write_requests.status is 'Null: the server ended before it could answer; what it did is in operator_actions, or was not done.';
create index write_requests_requested_at_idx on tasker.write_requests (requested_at);
