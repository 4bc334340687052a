package ee.tasker.platform.config;

import java.util.Locale;
import java.util.Optional;

/**
 * The settings of a server: keys of MicroProfile Config with default, range and meaning, in one
 * table. {@link SettingsReader} reads them by it, and the table in {@code docs/configuration.md} is
 * made from it. Meanings are Markdown; their links begin in {@code docs}.
 */
public enum Setting {
  ROLES("tasker.roles", "api,orchestrator,worker", "any of the three",
      "The roles of this server, see [architecture.md](architecture.md#roles). Every "
          + "installation needs each role on at least one server"),
  PAUSED_START("tasker.paused-start", "false", "`true`, `false`",
      "Whether this server starts with the roles `orchestrator` and `worker` "
          + "[paused](reference/backup.md#look-at-a-copy): nothing is processed, purged or sent "
          + "until an administrator resumes them. For a restored copy"),
  ENVIRONMENT("tasker.environment", "production", "a name",
      "Which `environments` section of a template applies, when it is registered"),
  TEMPLATES_FOLDER("tasker.templates.folder", null, "an existing folder",
      "Templates to register at start, in addition to those on the class path, see "
          + "[templates.md](templates.md#where-templates-are-found). The run command sets it to "
          + "`samples`"),
  NOTIFY_ENABLED("tasker.notify.enabled", "true", "`true`, `false`",
      "Whether servers notify each other of work (LISTEN, NOTIFY). If `false`, there is no "
          + "listening connection and the poller finds all work"),
  MIGRATE("tasker.migrate", "true", "`true`, `false`",
      "Whether this server applies pending migrations. If `false`, it does not start while "
          + "there are any: [who creates the schema](database.md#who-creates-the-schema)"),
  GUARDS("tasker.guards", "false", "`true`, `false`",
      "Whether this server, when it starts, installs the [guards of the "
          + "tables](data-model.md#guards-of-the-tables) or removes them. The run command sets "
          + "it to `true`"),
  POLL_INTERVAL_SECONDS("tasker.poll.interval-seconds", 30, 0, 86_400,
      "Period of the fallback poller; 0 switches it off on this server. Never switch it "
          + "off on all servers: recovery and repairs depend on it"),
  WORKER_CAPACITY("tasker.worker.capacity", 100, 1, 10_000,
      "Handlers that run concurrently on this server, each on a [thread of its "
          + "own](servers.md#threads)"),
  WORKER_PREFETCH("tasker.worker.prefetch", 3, 0, 100,
      "Steps to claim ahead while handlers take less than half a millisecond on average, as a "
          + "multiple of the capacity: a call for some hundred steps costs the database a third "
          + "less for each. Above a millisecond the server claims none ahead, and offers steps "
          + "that have not started within a second to other servers"),
  WORKER_NAMESPACES("tasker.worker.namespaces", null, "names, with commas; without it, all",
      "Namespaces from whose queues this server claims steps. It claims successors of its "
          + "own steps, and roots of tasks submitted to it, in any namespace"),
  WORKER_LEASE_SECONDS("tasker.worker.lease-seconds", 60, 5, 86_400,
      "How long a claim is valid without a renewal. Servers poll for due work at least "
          + "this often"),
  WORKER_HEARTBEAT_SECONDS("tasker.worker.heartbeat-seconds", 2, 1, 28_800,
      "How often this server renews its registration, with one database call. After four "
          + "missed heartbeats (8 s) other servers take its steps over. A longer interval "
          + "tolerates longer pauses but detects a dead server later. At most a third of the "
          + "lease"),
  WORKER_BATCH_SIZE("tasker.worker.batch-size", 500, 1, 5_000,
      "Maximum results submitted, and steps claimed, in one call"),
  WORKER_DRAIN_SECONDS("tasker.worker.drain-seconds", 10, 0, 3_600,
      "How long running steps may continue when the server stops; then they are "
          + "interrupted and offered again at once"),
  WORKER_DATA_SOURCE("tasker.worker.data-source", "jdbc/tasker", "a JNDI name",
      "The data source through which a worker [in an application of your "
          + "own](own-application.md) reaches the database; the product's WAR "
          + "has `jdbc/tasker`"),
  CANCEL_GRACE_SECONDS("tasker.cancel.grace-seconds", 30, 0, 86_400,
      "How long running steps may take to stop after a cancel; the template or the request "
          + "can override it"),
  MESSAGES_DELIVERY_LIMIT("tasker.messages.delivery-limit", 5, 1, 100,
      "Consecutive failures to process a message or task after which it is "
          + "[parked](failures.md#what-cannot-be-processed)"),
  HOUSEKEEPING_INTERVAL_SECONDS("tasker.housekeeping.interval-seconds", 60, 0, 86_400,
      "How often this server purges what is [no longer kept](retention.md#what-is-kept); "
          + "0: never"),
  RECOVERY_UNSERVED_SECONDS("tasker.recovery.unserved-seconds", 86_400, 0, 31_536_000,
      "How long a step waits for a live worker that serves its namespace and has its "
          + "handler, unless its template sets `lifecycle.unserved_seconds`; then it ends in "
          + "error as `worker_unavailable`. 0: indefinitely"),
  API_MAX_BODY_BYTES("tasker.api.max-body-bytes", 1_048_576, 1_024, 67_108_864,
      "Maximum length of a request body; a batch may be 16 times as long"),
  API_BODY_TIMEOUT_SECONDS("tasker.api.body-timeout-seconds", 30, 1, 3_600,
      "Time for the body of a request to arrive, see [rest.md](rest.md#slow-bodies); then "
          + "408 `request-timeout`, and the connection is closed"),
  API_BODY_MIN_BYTES_PER_SECOND("tasker.api.body-min-bytes-per-second", 8_192, 1, 1_073_741_824,
      "Minimum rate of a request body: each time that this many bytes have arrived, the time is "
          + "extended by one second"),
  API_MAX_CONCURRENT_REQUESTS("tasker.api.max-concurrent-requests", 256, 1, 100_000,
      "Requests that this server processes at once; it answers others with 503 "
          + "`server-busy`. Requests that only wait for a task (`?wait`) do not count. As many "
          + "requests for a single task may wait for its creation, in which they occupy no "
          + "thread; further ones get the same answer"),
  API_MAX_QUEUE_MILLIS("tasker.api.max-queue-millis", 1_000, 10, 600_000,
      "While the first request for a task has waited longer than this for a call of the "
          + "database, the server refuses further ones with 503 `server-busy`, see "
          + "[failures](failures.md#overload)"),
  API_ALLOWED_ORIGINS("tasker.api.allowed-origins", null, "origins, with commas",
      "Origins whose pages may call the interface from a browser (CORS)"),
  API_BASE_URL("tasker.api.base-url", null, "an address of http or https",
      "The application's public address, such as `https://tasker.example.com` or, with a "
          + "context root, `https://tasker.example.com/orders`. `Location` begins with it; "
          + "without it, `Location` is a path. Answers never echo the request's `Host`"),
  SECURITY_ADMIN_NAME("tasker.security.admin.name", "admin", "any",
      "Name of the first user, see [security.md](security.md#the-first-administrator)"),
  SECURITY_ADMIN_PASSWORD("tasker.security.admin.password", null, "12 characters or more",
      "Password of the first user. Without a password or a hash, no user is created"),
  SECURITY_ADMIN_PASSWORD_HASH("tasker.security.admin.password-hash", null,
      "as from `tasker.hash_password`",
      "Hash of the first user's password, instead of the password"),
  SECURITY_SESSION_SECONDS("tasker.security.session-seconds", 43_200, 60, 2_592_000,
      "How long a sign-in at the [console](console.md) lasts, however often it is used"),
  SECURITY_CACHE_SECONDS("tasker.security.cache-seconds", 30, 1, 3_600,
      "How long a server caches an authenticated caller and its permissions: a revocation "
          + "takes effect within this time, and on [open responses](security.md#what-is-open) "
          + "five seconds later"),
  SECURITY_OPEN("tasker.security.open", null, "`metrics`, `openapi`",
      "What needs no authentication, besides health and the start page"),
  SECURITY_TOKEN_ISSUER("tasker.security.token.issuer", null, "any",
      "Issuer whose signed tokens are accepted, see [security.md](security.md#tokens); "
          + "without it, none are"),
  SECURITY_TOKEN_AUDIENCE("tasker.security.token.audience", null, "any",
      "Required audience of a token"),
  SECURITY_TOKEN_PUBLIC_KEY("tasker.security.token.public-key", null, "PEM, RSA or EC",
      "The issuer's key; give this or `tasker.security.token.jwks-url`"),
  SECURITY_TOKEN_JWKS_URL("tasker.security.token.jwks-url", null, "http or https",
      "The URL where the issuer publishes its keys"),
  SECURITY_TOKEN_NAME_CLAIM("tasker.security.token.name-claim", "sub", "any",
      "The claim with the caller's name"),
  SECURITY_TOKEN_PERMISSIONS_CLAIM("tasker.security.token.permissions-claim", "permissions", "any",
      "The claim with permissions: an array, or a string separated by blanks"),
  SECURITY_TOKEN_NAMESPACES_CLAIM("tasker.security.token.namespaces-claim", "namespaces", "any",
      "The claim with the namespaces they apply to; all if it is absent"),
  IDEMPOTENCY_RETENTION_SECONDS("tasker.idempotency.retention-seconds", 86_400, 60, 31_536_000,
      "How long a repeated request with an "
          + "[`Idempotency-Key`](rest.md#send-a-request-again) gets the first answer"),
  STREAMS_LIMIT("tasker.streams.limit", 200, 0, 10_000,
      "Maximum concurrent streams of [events](reference/rest.md#events) and of [domain "
          + "events](events.md#follow-the-feed) on this server; further ones get 503"),
  STREAMS_BUFFER("tasker.streams.buffer", 10_000, 10, 1_000_000,
      "How many events may queue up for a client before its stream is closed"),
  STREAMS_HEARTBEAT_SECONDS("tasker.streams.heartbeat-seconds", 15, 1, 3_600,
      "Interval of keep-alive comments on an idle stream"),
  METRICS_TEMPLATES("tasker.metrics.templates", 50, 0, 10_000,
      "How many templates have series of their own in the "
          + "[metrics](reference/metrics.md#templates): those that ran first. All others are "
          + "counted as `other`. Set the same value on all servers"),
  EVENTS_MESSAGING_CONNECTION_FACTORY("tasker.events.messaging.connection-factory", null,
      "a name of JNDI",
      "The connection factory of the [topic](events.md#a-topic-of-jakarta-messaging) that "
          + "domain events are sent to; none without it"),
  EVENTS_MESSAGING_TOPIC("tasker.events.messaging.topic", null, "a name of JNDI",
      "The topic that domain events are sent to; required with "
          + "`tasker.events.messaging.connection-factory`"),
  WEBHOOKS_CONCURRENCY("tasker.webhooks.concurrency", 32, 0, 1_000,
      "How many calls to receivers of [webhooks](webhooks.md) this server makes at a time, "
          + "if it has the role `orchestrator`; 0 for none"),
  WEBHOOKS_ALLOW_HTTP("tasker.webhooks.allow-http", "false", "`true`, `false`",
      "Whether addresses of webhooks may begin with `http`"),
  WEBHOOKS_ALLOW_PORTS("tasker.webhooks.allow-ports", "443,8443", "ports, with commas, or `all`",
      "Ports that webhooks may call"),
  WEBHOOKS_ALLOW_ADDRESSES("tasker.webhooks.allow-addresses", null, "networks, with commas",
      "Networks such as `10.1.0.0/16` that webhooks may call although they are [not "
          + "public](webhooks.md#which-addresses)"),
  DOCUMENTS_KEYSTORE("tasker.documents.keystore", null, "an existing file",
      "A keystore (PKCS #12) with AES keys for [sealed members](reference/sealed.md) of documents; "
          + "without it, and without a codec of the application's own, nothing can be sealed or "
          + "opened"),
  DOCUMENTS_KEYSTORE_PASSWORD("tasker.documents.keystore-password", null, "any",
      "Password of the keystore and of its keys"),
  DOCUMENTS_KEY("tasker.documents.key", null, "an alias",
      "The key that seals from now on; the others only open. Required when the keystore has more "
          + "than one"),
  REPLICA_DATA_SOURCE("tasker.replica.data-source", null, "a name of JNDI",
      "The datasource of a [read replica](configuration.md#a-read-replica); none without it"),
  REPLICA_MAX_STALENESS_SECONDS("tasker.replica.max-staleness-seconds", 30, 1, 3_600,
      "Upper bound of the staleness that a request may allow; a request that allows more gets "
          + "this"),
  DATABASE_STATEMENT_TIMEOUT_SECONDS("tasker.database.statement-timeout-seconds", 45, 0, 3_600,
      "How long a call may run before PostgreSQL cancels it on behalf of the server. Must be "
          + "less than `DB_SOCKET_TIMEOUT`, which closes the connection and lets PostgreSQL go "
          + "on with the call; 0 for no limit. Migrations are exempt"),
  DATABASE_HOST("tasker.database.host", "localhost", "hosts, with commas",
      "Host of the listening connection, which the application opens itself; everything "
          + "else uses the server's datasource `jdbc/tasker`. Both must lead to the same "
          + "database. Several hosts are a primary and its standbys, see "
          + "[below](configuration.md#several-hosts-of-the-database). Without it, "
          + "`DB_LISTEN_HOST` or `DB_HOST`"),
  DATABASE_PORT("tasker.database.port", 5432, 1, 65_535,
      "Port of the last host. Without it, `DB_LISTEN_PORT` or `DB_PORT`"),
  DATABASE_NAME("tasker.database.name", "tasker", "any",
      "Name of the database of the listening connection"),
  DATABASE_USER("tasker.database.user", "tasker", "any",
      "User that the listening connection logs in as"),
  DATABASE_PASSWORD("tasker.database.password", "tasker", "any",
      "Password of the listening connection's user"),
  DATABASE_PASSWORD_FILE("tasker.database.password-file", null, "a file",
      "Instead of the password, and read for each connection: [passwords in "
          + "files](configuration.md#passwords-in-files)"),
  DATABASE_SSL_MODE("tasker.database.ssl-mode", "prefer", "of the driver",
      "[TLS](configuration.md#tls-to-the-database) of the listening connection"),
  DATABASE_SSL_ROOT_CERT("tasker.database.ssl-root-cert", null, "a file",
      "File with the certificates of the authority that signs the server's certificate"),
  DATABASE_SSL_CERT("tasker.database.ssl-cert", null, "a file",
      "File with the client's certificate"),
  DATABASE_SSL_KEY("tasker.database.ssl-key", null, "a file",
      "File with the key of the client's certificate"),
  DATABASE_SSL_PASSWORD("tasker.database.ssl-password", null, "any",
      "Password of the client's key");

  private final String key;
  private final String fallback;
  private final String range;
  private final String meaning;
  private final int number;
  private final int least;
  private final int most;

  /** A whole number. */
  Setting(String key, int fallback, int least, int most, String meaning) {
    this.key = key;
    this.fallback = Integer.toString(fallback);
    this.range = least + " to " + most;
    this.meaning = meaning;
    this.number = fallback;
    this.least = least;
    this.most = most;
  }

  /** Anything else. */
  Setting(String key, String fallback, String range, String meaning) {
    this.key = key;
    this.fallback = fallback;
    this.range = range;
    this.meaning = meaning;
    this.number = 0;
    this.least = 0;
    this.most = -1;
  }

  public String key() {
    return key;
  }

  /** The environment variable. */
  public String variable() {
    return key.replaceAll("[^a-z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  /** The value without the key; empty if it has none. */
  public Optional<String> fallback() {
    return Optional.ofNullable(fallback);
  }

  /** Which values are valid, in words. */
  public String range() {
    return range;
  }

  public String meaning() {
    return meaning;
  }

  int number() {
    return number;
  }

  boolean allows(int value) {
    return value >= least && value <= most;
  }

  @Override
  public String toString() {
    return key;
  }
}
