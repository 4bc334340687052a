-- Access control: users, API keys, roles, grants, and the log of requests for changes over REST.

create table tasker.access_permissions (
  permission varchar(64) primary key,
  constraint resource_and_verb check (permission ~ '^([a-z]+:([a-z_]+|\*)|\*:\*)$'));
comment on table tasker.access_permissions is
  'The permissions that can be granted, with resource:* for all of a resource and *:* for all. '
  'Filled by db/routine/security/R__access_permissions.sql.';

create table tasker.access_roles (
  role        varchar(64) primary key,
  description text        not null);
comment on table tasker.access_roles is
  'Named sets of permissions. Groups of an external identity store, and of a token, are roles of '
  'the same name.';

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
  constraint disabled_has_time_and_actor check ((disabled_at is null) = (disabled_by is null)));
comment on table tasker.access_users is
  'Users and programs that log in by name and password. Stores only the PBKDF2 hash of the '
  'password.';
comment on column tasker.access_users.password_hash is
  'algorithm:iterations:salt:hash, as Pbkdf2PasswordHash of Jakarta Security writes it; null: '
  'cannot log in by password.';
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
  constraint revoked_has_time_and_actor check ((revoked_at is null) = (revoked_by is null)));
comment on table tasker.access_keys is
  'API keys. The key is shown once and not stored; this table has its SHA-256.';
comment on column tasker.access_keys.hint is 'The first characters of the key, to tell keys apart.';
comment on column tasker.access_keys.last_used_at is
  'Accurate to the hour: updated when the stored value is older than an hour.';

create table tasker.access_sessions (
  session_uuid uuid        primary key default tasker.uuid_v7(),
  token_hash   bytea       not null,
  user_uuid    uuid        not null references tasker.access_users on delete cascade,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz not null,
  constraint access_sessions_token_hash_key unique (token_hash),
  constraint hash_is_sha256 check (octet_length(token_hash) = 32),
  constraint expires_after_creation check (expires_at > created_at));
comment on table tasker.access_sessions is
  'Sessions of the console. The token is in the browser''s cookie and not stored; this table has '
  'its SHA-256.';
create index access_sessions_user_uuid_idx on tasker.access_sessions (user_uuid);
create index access_sessions_expires_at_idx on tasker.access_sessions (expires_at);

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
  constraint granted_once unique nulls not distinct (
    user_uuid, key_uuid, role, permission, namespace));
comment on table tasker.access_grants is
  'Grants of a role or permission to a user or key, in one namespace or, when that is null, in '
  'all and for objects without one.';

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
  object       varchar(1000),
  constraint known_kind check (caller_kind in ('user', 'key', 'token', 'external')),
  constraint answer_is_whole check ((status is null) = (answered_at is null)));
comment on table tasker.write_requests is
  'Requests for changes over REST: written before the change, in a separate transaction; status '
  'is set when the request is answered. Task submissions are in task_contexts.submitted_by '
  'instead.';
comment on column tasker.write_requests.status is
  'Null: the server stopped before it could answer; the change is in operator_actions if it was '
  'made.';
comment on column tasker.write_requests.object is
  'What the request made or changed, where the path does not say it: as a path of the interface.';
create index write_requests_requested_at_idx on tasker.write_requests (requested_at);

create table tasker.saved_views (
  view_uuid  uuid          primary key default tasker.uuid_v7(),
  page       varchar(64)   not null,
  name       varchar(128)  not null,
  query      varchar(2000) not null,
  namespace  varchar(29),
  owner      varchar(300)  not null,
  saved_by   varchar(160)  not null,
  saved_at   timestamptz   not null default clock_timestamp(),
  constraint one_view_per_name unique nulls not distinct (owner, page, namespace, name),
  constraint name_is_printable check (name ~ '^[^[:cntrl:]]+$' and btrim(name) = name),
  constraint page_is_a_word check (page ~ '^[A-Za-z][A-Za-z-]*$'));
comment on table tasker.saved_views is
  'Filters of lists that a caller saved: for itself, or for all who may list tasks in a namespace.';
comment on column tasker.saved_views.owner is
  'The REST caller that saved it, by kind and uuid, as user:…; a name when there is no uuid.';
comment on column tasker.saved_views.namespace is 'Null: for its owner only.';
create index saved_views_namespace_idx on tasker.saved_views (
  namespace) where namespace is not null;
