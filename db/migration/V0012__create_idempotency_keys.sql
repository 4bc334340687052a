-- Responses to requests with an Idempotency-Key, so that a repeated request gets the saved response
-- and is not executed again. The transaction that executes the request writes the row: a response
-- is saved if and only if the effect is committed.

create table tasker.idempotency_keys (
  principal       varchar(255) not null,
  idempotency_key varchar(255) not null,
  request_hash    bytea        not null,
  status          smallint     not null,
  location        varchar(2000),
  body            text         not null,
  created_at      timestamptz  not null default clock_timestamp(),
  document_hash   bigint       not null,
  primary key (principal, idempotency_key),
  constraint only_what_was_done_is_kept check (status between 200 and 299),
  constraint hash_is_sha_256 check (octet_length(request_hash) = 32));
comment on table tasker.idempotency_keys is
  'Saved responses to requests with an Idempotency-Key, kept as long as a repeated request gets '
  'them.';
comment on column tasker.idempotency_keys.principal is
  'The authenticated caller; empty without login. Two callers may use the same key.';
comment on column tasker.idempotency_keys.request_hash is
  'SHA-256 of method, path, query and body: the same key with another request is refused.';
comment on column tasker.idempotency_keys.document_hash is
  'hash_idempotent_response at insertion: the request and the response.';
create index idempotency_keys_created_at_idx on tasker.idempotency_keys (created_at);
