package ee.tasker.platform;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration of this server, read once at start and checked as a whole. Keys, defaults and
 * meanings are in
 * {@code docs/configuration.md}.
 *
 * @param roles              {@code tasker.roles}: what this server takes part in
 * @param events             {@code tasker.notify.enabled}: whether wake-ups are sent; without them
 *   the poller finds all work
 * @param migrates           {@code tasker.migrate}: whether this server applies pending migrations;
 *   otherwise it does not start while there are any
 * @param guards             {@code tasker.guards}: whether the tables of tasks and steps are
 *   guarded by constraints and the trigger of the rules
 * @param pollInterval       {@code tasker.poll.interval-seconds}: interval of the fallback poller;
 *   zero disables it
 * @param templatesFolder    {@code tasker.templates.folder}: templates in addition to those on the
 *   class path
 * @param environment        {@code tasker.environment}: which {@code environments} section of a
 *   template applies
 * @param worker             how steps are claimed and run
 * @param listen             the database that the listening connection connects to
 * @param maxBodyBytes       {@code tasker.api.max-body-bytes}
 * @param largeBytes         {@code tasker.api.large-bytes}: longer requests and results are kept
 *   apart from those of other namespaces
 * @param bodyPace           how fast the body of a request must arrive
 * @param maxRequests        {@code tasker.api.max-concurrent-requests}: requests that this server
 *   serves at once, and requests whose task it creates at once; others are told to retry
 * @param longestQueueing    {@code tasker.api.max-queue-millis}: while requests for tasks have
 *   waited longer than that for the database, further ones are told to retry
 * @param allowedOrigins     {@code tasker.api.allowed-origins}: origins whose pages may call the
 *   API from a browser
 * @param baseUrl            {@code tasker.api.base-url}: where clients find this application,
 *   without a slash at the end; empty for addresses relative to that
 * @param recovery           when recovery acts
 * @param housekeeping       how fast old tasks are cleaned up
 * @param idempotencyRetention {@code tasker.idempotency.retention-seconds}: how long the response
 *   to a request with a key is replayed
 * @param streams            limits of event streams
 * @param traces             {@code otel.sdk.disabled} is false: whether the server's OpenTelemetry
 *   is used, where there is one
 * @param messaging          the topic that domain events are sent to; empty for none
 * @param security           authentication and authorisation
 * @param webhooks           what deliveries to webhooks may call
 * @param statementTimeout   {@code tasker.database.statement-timeout-seconds}: how long a call may
 *   take until the database is told to cancel it; zero for no limit
 * @param replica            a standby for reads that may be stale; empty for none
 */
public record Settings(
    Set<Role> roles, boolean events, boolean migrates, boolean guards, Duration pollInterval,
    Optional<Path> templatesFolder,
    String environment, WorkerSettings worker, ListenSettings listen, int maxBodyBytes,
    int largeBytes, BodyPace bodyPace, int maxRequests, Duration longestQueueing,
    Set<String> allowedOrigins,
    Optional<String> baseUrl, RecoverySettings recovery, Duration idempotencyRetention,
    StreamSettings streams, HousekeepingSettings housekeeping, boolean traces,
    Optional<MessagingSettings> messaging, SecuritySettings security, WebhookSettings webhooks,
    Duration statementTimeout, Optional<ReplicaSettings> replica) {

  public Settings {
    roles = Set.copyOf(roles);
    allowedOrigins = Set.copyOf(allowedOrigins);
  }

  public boolean has(Role role) {
    return roles.contains(role);
  }

  /**
   * @param capacity   {@code tasker.worker.capacity}: steps that may run at a time
   * @param prefetch   {@code tasker.worker.prefetch}: extra steps claimed while handlers are quick,
   *   as a multiple of the capacity
   * @param namespaces {@code tasker.worker.namespaces}: empty for all
   * @param lease      {@code tasker.worker.lease-seconds}: how long a claim holds without a
   *   heartbeat
   * @param heartbeat  {@code tasker.worker.heartbeat-seconds}: at most a third of the lease
   * @param batchSize  {@code tasker.worker.batch-size}: results submitted in one call at most
   * @param flushers   {@code tasker.worker.flushers}: concurrent submission calls
   * @param drain      {@code tasker.worker.drain-seconds}: how long running steps may finish when
   *   the server stops
   */
  public record WorkerSettings(int capacity, int prefetch, Set<String> namespaces, Duration lease,
      Duration heartbeat, int batchSize, int flushers, Duration drain) {
    public WorkerSettings {
      namespaces = Set.copyOf(namespaces);
    }
  }

  /**
   * A body has {@code timeout}, plus the time that its bytes so far take at {@code bytesPerSecond}.
   *
   * @param timeout        {@code tasker.api.body-timeout-seconds}
   * @param bytesPerSecond {@code tasker.api.body-min-bytes-per-second}
   */
  public record BodyPace(Duration timeout, int bytesPerSecond) {
  }

  /**
   * @param claimLimit    {@code tasker.recovery.offer-timeout-seconds}: how long an offer may stay
   *   unclaimed while a permit is free for it
   * @param unservedLimit {@code tasker.recovery.unserved-seconds}: how long a step waits for a live
   *   worker that has its handler; zero for no limit
   * @param cancelGrace   {@code tasker.cancel.grace-seconds}: how long running steps may take to
   *   stop after a cancellation
   * @param deliveries    {@code tasker.messages.delivery-limit}: how often in a row a message or a
   *   task may fail to be processed
   */
  public record RecoverySettings(Duration claimLimit, Duration unservedLimit, Duration cancelGrace,
      int deliveries) {
  }

  /**
   * @param interval  {@code tasker.housekeeping.interval-seconds}: interval of the purge of expired
   *   rows; zero disables it
   * @param batchSize {@code tasker.housekeeping.batch-size}: tasks purged in one transaction at
   *   most
   * @param pause     {@code tasker.housekeeping.pause-millis}: pause between two such transactions
   */
  public record HousekeepingSettings(Duration interval, int batchSize, Duration pause) {
  }

  /**
   * A standby for reads that may be stale.
   *
   * @param dataSource   {@code tasker.replica.data-source}: a name of JNDI
   * @param maxStaleness {@code tasker.replica.max-staleness-seconds}: the most that a request can
   *   allow
   */
  public record ReplicaSettings(String dataSource, Duration maxStaleness) {
  }

  /**
   * Where objects of Jakarta Messaging are found.
   *
   * @param connectionFactory {@code tasker.events.messaging.connection-factory}: a name of JNDI
   * @param topic             {@code tasker.events.messaging.topic}: likewise
   */
  public record MessagingSettings(String connectionFactory, String topic) {
  }

  /**
   * @param limit     {@code tasker.streams.limit}: the maximum number of streams of this server
   * @param buffer    {@code tasker.streams.buffer}: how many events may wait for one of them
   * @param heartbeat {@code tasker.streams.heartbeat-seconds}: interval of keep-alives
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
   * @param cache {@code tasker.security.cache-seconds}: how long an authentication is cached
   * @param session {@code tasker.security.session-seconds}: how long a session of the console lasts
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
   * @param isHttpAllowed {@code tasker.webhooks.allow-http}: whether addresses may begin with http
   * @param ports         {@code tasker.webhooks.allow-ports}: empty for all
   * @param networks      {@code tasker.webhooks.allow-addresses}: addresses that may be called
   *   although they are not public
   * @param concurrency   {@code tasker.webhooks.concurrency}: deliveries that this server sends at
   *   a time; zero for none
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
