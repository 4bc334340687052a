package ee.tasker.platform.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration of this server, read once at start and checked as a whole. Keys, defaults and
 * meanings are in {@link Setting}.
 *
 * @param roles              {@link Setting#ROLES}
 * @param startsPaused       {@link Setting#PAUSED_START}
 * @param events             {@link Setting#NOTIFY_ENABLED}
 * @param migrates           {@link Setting#MIGRATE}
 * @param guards             {@link Setting#GUARDS}
 * @param pollInterval       {@link Setting#POLL_INTERVAL_SECONDS}
 * @param templatesFolder    {@link Setting#TEMPLATES_FOLDER}
 * @param environment        {@code tasker.environment}: which {@code environments} section of a
 *   template applies
 * @param worker             how steps are claimed and run
 * @param listen             the database that the listening connection connects to
 * @param maxBodyBytes       {@link Setting#API_MAX_BODY_BYTES}
 * @param bodyPace           how fast the body of a request must arrive
 * @param maxRequests        {@link Setting#API_MAX_CONCURRENT_REQUESTS}
 * @param longestQueueing    {@link Setting#API_MAX_QUEUE_MILLIS}
 * @param allowedOrigins     {@link Setting#API_ALLOWED_ORIGINS}
 * @param baseUrl            {@link Setting#API_BASE_URL}
 * @param recovery           when recovery acts
 * @param housekeepingInterval {@link Setting#HOUSEKEEPING_INTERVAL_SECONDS}
 * @param idempotencyRetention {@link Setting#IDEMPOTENCY_RETENTION_SECONDS}
 * @param streams            limits of event streams
 * @param traces             {@code otel.sdk.disabled} is false: whether the server's OpenTelemetry
 *   is used, where there is one
 * @param messaging          the topic that domain events are sent to; empty for none
 * @param security           authentication and authorisation
 * @param webhooks           what deliveries to webhooks may call
 * @param statementTimeout   {@link Setting#DATABASE_STATEMENT_TIMEOUT_SECONDS}
 * @param replica            a standby for reads that may be stale; empty for none
 * @param metricTemplates  {@link Setting#METRICS_TEMPLATES}
 * @param documents        the keys of sealed members; empty for none
 */
public record Settings(
    Set<Role> roles, boolean startsPaused, boolean events, boolean migrates, boolean guards,
    Duration pollInterval,
    Optional<Path> templatesFolder,
    String environment, WorkerSettings worker, ListenSettings listen, int maxBodyBytes,
    BodyPace bodyPace, int maxRequests, Duration longestQueueing,
    Set<String> allowedOrigins,
    Optional<String> baseUrl, RecoverySettings recovery, Duration idempotencyRetention,
    StreamSettings streams, Duration housekeepingInterval, boolean traces,
    Optional<MessagingSettings> messaging, SecuritySettings security, WebhookSettings webhooks,
    Duration statementTimeout, Optional<ReplicaSettings> replica, int metricTemplates,
    Optional<DocumentSettings> documents) {

  public Settings {
    roles = Set.copyOf(roles);
    allowedOrigins = Set.copyOf(allowedOrigins);
  }

  public boolean has(Role role) {
    return roles.contains(role);
  }

  /**
   * The same with other roles.
   */
  Settings withRoles(Set<Role> others) {
    return new Settings(others, startsPaused, events, migrates, guards, pollInterval,
        templatesFolder, environment, worker, listen, maxBodyBytes, bodyPace,
        maxRequests, longestQueueing, allowedOrigins, baseUrl, recovery, idempotencyRetention,
        streams, housekeepingInterval, traces, messaging, security, webhooks, statementTimeout,
        replica,
        metricTemplates, documents);
  }

  /**
   * @param capacity   {@link Setting#WORKER_CAPACITY}
   * @param prefetch   {@link Setting#WORKER_PREFETCH}
   * @param namespaces {@link Setting#WORKER_NAMESPACES}
   * @param lease      {@link Setting#WORKER_LEASE_SECONDS}
   * @param heartbeat  {@link Setting#WORKER_HEARTBEAT_SECONDS}
   * @param batchSize  {@link Setting#WORKER_BATCH_SIZE}
   * @param drain      {@link Setting#WORKER_DRAIN_SECONDS}
   * @param dataSource {@link Setting#WORKER_DATA_SOURCE}
   */
  public record WorkerSettings(int capacity, int prefetch, Set<String> namespaces, Duration lease,
      Duration heartbeat, int batchSize, Duration drain, String dataSource) {
    public WorkerSettings {
      namespaces = Set.copyOf(namespaces);
    }
  }

  /**
   * A body has {@code timeout}, plus the time that its bytes so far take at {@code bytesPerSecond}.
   *
   * @param timeout        {@link Setting#API_BODY_TIMEOUT_SECONDS}
   * @param bytesPerSecond {@link Setting#API_BODY_MIN_BYTES_PER_SECOND}
   */
  public record BodyPace(Duration timeout, int bytesPerSecond) {
  }

  /**
   * @param unservedLimit {@link Setting#RECOVERY_UNSERVED_SECONDS}
   * @param cancelGrace   {@link Setting#CANCEL_GRACE_SECONDS}
   * @param deliveries    {@link Setting#MESSAGES_DELIVERY_LIMIT}
   */
  public record RecoverySettings(Duration unservedLimit, Duration cancelGrace,
      int deliveries) {
  }

  /**
   * A standby for reads that may be stale.
   *
   * @param dataSource   {@link Setting#REPLICA_DATA_SOURCE}
   * @param maxStaleness {@link Setting#REPLICA_MAX_STALENESS_SECONDS}
   */
  public record ReplicaSettings(String dataSource, Duration maxStaleness) {
  }

  /**
   * @param keystore {@link Setting#DOCUMENTS_KEYSTORE}
   * @param password {@link Setting#DOCUMENTS_KEYSTORE_PASSWORD}
   * @param key      {@link Setting#DOCUMENTS_KEY}
   */
  public record DocumentSettings(Path keystore, String password, Optional<String> key) {
    @Override
    public String toString() {
      return "DocumentSettings[" + keystore + "]";
    }
  }

  /**
   * Where objects of Jakarta Messaging are found.
   *
   * @param connectionFactory {@link Setting#EVENTS_MESSAGING_CONNECTION_FACTORY}
   * @param topic             {@link Setting#EVENTS_MESSAGING_TOPIC}
   */
  public record MessagingSettings(String connectionFactory, String topic) {
  }

  /**
   * @param limit     {@link Setting#STREAMS_LIMIT}
   * @param buffer    {@link Setting#STREAMS_BUFFER}
   * @param heartbeat {@link Setting#STREAMS_HEARTBEAT_SECONDS}
   */
  public record StreamSettings(int limit, int buffer, Duration heartbeat) {
  }

  /**
   * {@code tasker.database.*}: the listening connection is the application's own, a pooled
   * connection cannot be kept permanently.
   *
   * @param hosts a primary and its standbys, in any order; at least one
   */
  public record ListenSettings(List<DatabaseHost> hosts, String database, String user,
      Secret password, TlsSettings tls) {
    public ListenSettings {
      hosts = List.copyOf(hosts);
    }

    @Override
    public String toString() {
      return "ListenSettings[" + hosts + "/" + database + " as " + user + "]";
    }
  }

  /**
   * How the listening connection is encrypted and what it checks, in the driver's words; empty
   * texts for what is not given.
   *
   * @param mode            {@code tasker.database.ssl-mode}
   * @param rootCertificate {@code tasker.database.ssl-root-cert}: a file
   * @param certificate     {@code tasker.database.ssl-cert}: a file
   * @param key             {@code tasker.database.ssl-key}: a file
   * @param keyPassword     {@code tasker.database.ssl-password}
   */
  public record TlsSettings(String mode, String rootCertificate, String certificate, String key,
      String keyPassword) {
    @Override
    public String toString() {
      return "TlsSettings[" + mode + "]";
    }
  }

  /** The address of a PostgreSQL server. */
  public record DatabaseHost(String name, int port) {
    @Override
    public String toString() {
      return name + ":" + port;
    }
  }

  /**
   * @param cache {@link Setting#SECURITY_CACHE_SECONDS}
   * @param session {@link Setting#SECURITY_SESSION_SECONDS}
   * @param open  {@code tasker.security.open}: endpoints without authentication besides health:
   *   {@code metrics}, {@code openapi}
   * @param admin {@code tasker.security.admin.*}: the first user of a database that has none
   * @param token {@code tasker.security.token.*}: the issuer of accepted tokens; empty to accept
   *   none
   */
  public record SecuritySettings(Duration cache, Duration session, Set<String> open,
      Optional<FirstAdmin> admin, Optional<TokenSettings> token) {
    public SecuritySettings {
      open = Set.copyOf(open);
    }
  }

  /**
   * @param publicKey in PEM; this or {@code jwksUrl}
   * @param jwksUrl   where the issuer publishes its keys
   * @param nameClaim the claim with the caller's name; likewise the other two
   */
  public record TokenSettings(String issuer, String audience, Optional<String> publicKey,
      Optional<URI> jwksUrl, String nameClaim, String permissionsClaim, String namespacesClaim) {
  }

  /**
   * @param isHttpAllowed {@link Setting#WEBHOOKS_ALLOW_HTTP}
   * @param ports         {@link Setting#WEBHOOKS_ALLOW_PORTS}
   * @param networks      {@link Setting#WEBHOOKS_ALLOW_ADDRESSES}
   * @param concurrency   {@link Setting#WEBHOOKS_CONCURRENCY}
   */
  public record WebhookSettings(boolean isHttpAllowed, Set<Integer> ports, List<Network> networks,
      int concurrency) {
    public WebhookSettings {
      ports = Set.copyOf(ports);
      networks = List.copyOf(networks);
    }
  }

  /** @param secret a password, or the hash of one */
  public record FirstAdmin(String name, String secret) {
    @Override
    public String toString() {
      return "FirstAdmin[" + name + "]";
    }
  }
}
