package ee.tasker.platform.config;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.Config;

/**
 * Reads {@link Settings} from MicroProfile Config and rejects invalid configuration with all
 * violations at once.
 */
final class SettingsReader {
  /** A name or an address, in brackets if it contains colons, and a port. */
  private static final Pattern HOST = Pattern
      .compile("([^\\s:,/\\[\\]]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,6}))?");

  private static final List<String> SSL_MODES = List.of("disable", "allow", "prefer", "require",
      "verify-ca", "verify-full");

  private static final Pattern NOT_IN_A_VARIABLE = Pattern.compile("[^A-Za-z0-9]");

  private final List<String> complaints = new ArrayList<>();
  private Config config;

  Settings read(Config source) {
    config = source;
    Duration lease = seconds(Setting.WORKER_LEASE_SECONDS);
    Duration heartbeat = seconds(Setting.WORKER_HEARTBEAT_SECONDS);
    if (heartbeat.multipliedBy(3).compareTo(lease) > 0) {
      complaints.add(
          "tasker.worker.heartbeat-seconds must be at most a third of tasker.worker.lease-seconds");
    }
    Settings settings = new Settings(
        roles(), flag(Setting.PAUSED_START), flag(Setting.NOTIFY_ENABLED), flag(Setting.MIGRATE),
        flag(Setting.GUARDS),
        seconds(Setting.POLL_INTERVAL_SECONDS), folder(),
        text(Setting.ENVIRONMENT),
        new Settings.WorkerSettings(
            number(Setting.WORKER_CAPACITY),
            number(Setting.WORKER_PREFETCH), names(Setting.WORKER_NAMESPACES), lease,
            heartbeat, number(Setting.WORKER_BATCH_SIZE),
            seconds(Setting.WORKER_DRAIN_SECONDS), text(Setting.WORKER_DATA_SOURCE).strip()),
        new Settings.ListenSettings(
            databaseHosts(),
            text(either(Setting.DATABASE_NAME, "DB_NAME"), Setting.DATABASE_NAME),
            text(either(Setting.DATABASE_USER, "DB_USER"), Setting.DATABASE_USER),
            databasePassword(), tls()),
        number(Setting.API_MAX_BODY_BYTES),
        new Settings.BodyPace(seconds(Setting.API_BODY_TIMEOUT_SECONDS),
            number(Setting.API_BODY_MIN_BYTES_PER_SECOND)),
        number(Setting.API_MAX_CONCURRENT_REQUESTS),
        Duration.ofMillis(number(Setting.API_MAX_QUEUE_MILLIS)),
        origins(),
        baseUrl(),
        new Settings.RecoverySettings(
            seconds(Setting.RECOVERY_UNSERVED_SECONDS),
            seconds(Setting.CANCEL_GRACE_SECONDS),
            number(Setting.MESSAGES_DELIVERY_LIMIT)),
        seconds(Setting.IDEMPOTENCY_RETENTION_SECONDS),
        new Settings.StreamSettings(
            number(Setting.STREAMS_LIMIT),
            number(Setting.STREAMS_BUFFER),
            seconds(Setting.STREAMS_HEARTBEAT_SECONDS)),
        seconds(Setting.HOUSEKEEPING_INTERVAL_SECONDS),
        // Not one of our settings, so its value is not checked.
        "false".equalsIgnoreCase(text("otel.sdk.disabled", "true")),
        messaging(), security(), webhooks(),
        seconds(Setting.DATABASE_STATEMENT_TIMEOUT_SECONDS), replica(),
        number(Setting.METRICS_TEMPLATES), documents());
    if (!complaints.isEmpty()) {
      throw new IllegalStateException(
          "the configuration cannot be used: " + String.join("; ", complaints));
    }
    return settings;
  }

  /** Empty without both names. */
  private Optional<Settings.MessagingSettings> messaging() {
    String factory = text(Setting.EVENTS_MESSAGING_CONNECTION_FACTORY);
    String topic = text(Setting.EVENTS_MESSAGING_TOPIC);
    if ((factory == null) != (topic == null)) {
      complaints.add(
          "tasker.events.messaging.connection-factory and tasker.events.messaging.topic are needed both, or neither");
    }
    return factory == null || topic == null ? Optional.empty()
        : Optional.of(new Settings.MessagingSettings(factory, topic));
  }

  /** Empty without a keystore. */
  private Optional<Settings.DocumentSettings> documents() {
    String password = secret(Setting.DOCUMENTS_KEYSTORE_PASSWORD);
    Optional<Path> keystore = readable(Setting.DOCUMENTS_KEYSTORE.key());
    if (keystore.isPresent() && password == null) {
      complaints.add("tasker.documents.keystore needs tasker.documents.keystore-password");
    }
    return keystore.map(file -> new Settings.DocumentSettings(file, password,
        Optional.ofNullable(text(Setting.DOCUMENTS_KEY)).map(String::strip)));
  }

  /** Empty without a datasource. */
  private Optional<Settings.ReplicaSettings> replica() {
    Duration maxStaleness = seconds(Setting.REPLICA_MAX_STALENESS_SECONDS);
    return Optional.ofNullable(text(Setting.REPLICA_DATA_SOURCE)).map(String::strip)
        .map(name -> new Settings.ReplicaSettings(name, maxStaleness));
  }

  private Settings.WebhookSettings webhooks() {
    Set<Integer> ports = new HashSet<>();
    Set<String> names = names(Setting.WEBHOOKS_ALLOW_PORTS);
    if (!names.equals(Set.of("all"))) {
      for (String name : names) {
        if (name.matches("[1-9][0-9]{0,4}") && Integer.parseInt(name) <= 65_535) {
          ports.add(Integer.parseInt(name));
        } else {
          complaints
              .add("tasker.webhooks.allow-ports must be all, or ports between 1 and 65535, not \""
                  + name + "\"");
        }
      }
    }
    List<Network> networks = new ArrayList<>();
    names(Setting.WEBHOOKS_ALLOW_ADDRESSES).stream().sorted().forEach(name -> {
      try {
        networks.add(Network.parse(name));
      } catch (IllegalArgumentException e) {
        complaints
            .add("tasker.webhooks.allow-addresses must be networks such as 10.1.0.0/16, not \""
                + name + "\"");
      }
    });
    return new Settings.WebhookSettings(flag(Setting.WEBHOOKS_ALLOW_HTTP), ports, networks,
        number(Setting.WEBHOOKS_CONCURRENCY));
  }

  private Settings.SecuritySettings security() {
    Set<String> open = names(Setting.SECURITY_OPEN);
    open.stream().filter(name -> !Set.of("metrics", "openapi").contains(name)).sorted()
        .forEach(name -> complaints.add(
            "tasker.security.open: only metrics and openapi can be open, not \"" + name + "\""));
    String name = text(Setting.SECURITY_ADMIN_NAME);
    String password = secret(Setting.SECURITY_ADMIN_PASSWORD);
    String hash = secret(Setting.SECURITY_ADMIN_PASSWORD_HASH);
    if (password != null && hash != null) {
      complaints.add(
          "tasker.security.admin.password and tasker.security.admin.password-hash: give only one of them");
    }
    if (password != null && password.length() < 12) {
      complaints.add("tasker.security.admin.password must have at least 12 characters");
    }
    if (hash != null && !hash.matches(
        "PBKDF2WithHmacSHA(256|384|512):[1-9][0-9]{0,8}:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+")) {
      complaints
          .add("tasker.security.admin.password-hash must be a hash made by tasker.hash_password()");
    }
    return new Settings.SecuritySettings(seconds(Setting.SECURITY_CACHE_SECONDS),
        seconds(Setting.SECURITY_SESSION_SECONDS), open,
        Optional.ofNullable(password == null ? hash : password)
            .map(secret -> new Settings.FirstAdmin(name, secret)),
        token());
  }

  /** Empty without an issuer. */
  private Optional<Settings.TokenSettings> token() {
    String issuer = text(Setting.SECURITY_TOKEN_ISSUER);
    String audience = text(Setting.SECURITY_TOKEN_AUDIENCE);
    String key = secret(Setting.SECURITY_TOKEN_PUBLIC_KEY);
    String url = text(Setting.SECURITY_TOKEN_JWKS_URL);
    if (issuer == null && audience == null && key == null && url == null) {
      return Optional.empty();
    }
    if (issuer == null || audience == null) {
      complaints.add(
          "tasker.security.token.issuer and tasker.security.token.audience are both needed for tokens");
    }
    if ((key == null) == (url == null)) {
      complaints.add(
          "tasker.security.token.public-key or tasker.security.token.jwks-url is needed for tokens, but not both");
    }
    if (key != null && !key.contains("BEGIN PUBLIC KEY")) {
      complaints.add(
          "tasker.security.token.public-key must be in PEM, from -----BEGIN PUBLIC KEY----- on");
    }
    if (url != null && !url.matches("https?://[^\\s]+")) {
      complaints.add("tasker.security.token.jwks-url must be an http or https URL");
      url = null;
    }
    return Optional.of(new Settings.TokenSettings(issuer, audience, Optional.ofNullable(key),
        Optional.ofNullable(url).map(URI::create), text(Setting.SECURITY_TOKEN_NAME_CLAIM),
        text(Setting.SECURITY_TOKEN_PERMISSIONS_CLAIM),
        text(Setting.SECURITY_TOKEN_NAMESPACES_CLAIM)));
  }

  private Set<String> origins() {
    Set<String> origins = names(Setting.API_ALLOWED_ORIGINS);
    origins.stream().filter(origin -> !origin.matches("https?://[A-Za-z0-9.-]+(:[0-9]+)?")).sorted()
        .forEach(
            origin -> complaints
                .add(
                    "tasker.api.allowed-origins must be origins such as https://console.example.com, not \""
                        + origin + "\""));
    return origins;
  }

  private Optional<String> baseUrl() {
    String url = text(Setting.API_BASE_URL);
    if (url == null) {
      return Optional.empty();
    }
    if (!url.matches("https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?")) {
      complaints.add(
          "tasker.api.base-url must be an address such as https://tasker.example.com/orders, not \""
              + url + "\"");
    }
    return Optional.of(url.replaceFirst("/+$", ""));
  }

  private Set<Role> roles() {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String role : text(Setting.ROLES).split(",")) {
      try {
        roles.add(Role.parse(role));
      } catch (IllegalArgumentException e) {
        complaints.add("tasker.roles: there is no role \"" + role.strip()
            + "\", only api, orchestrator and worker");
      }
    }
    if (roles.isEmpty()) {
      complaints.add("tasker.roles: a server needs at least one of api, orchestrator and worker");
    }
    return roles;
  }

  private Optional<Path> folder() {
    Optional<Path> folder = given(Setting.TEMPLATES_FOLDER.key()).filter(value -> !value.isBlank())
        .map(Path::of);
    folder.filter(path -> !Files.isDirectory(path))
        .ifPresent(path -> complaints.add("tasker.templates.folder: there is no folder " + path));
    return folder;
  }

  /**
   * As the driver reads {@code //a:5433,b:5434/}: the port belongs to the last host; each of the
   * others has its own or
   * defaults to 5432. A list whose other hosts default to 5432 although the port is a different one
   * is a mistake that would
   * surface only at a failover.
   */
  private List<Settings.DatabaseHost> databaseHosts() {
    String key = either(Setting.DATABASE_HOST, "DB_LISTEN_HOST", "DB_HOST");
    String portKey = either(Setting.DATABASE_PORT, "DB_LISTEN_PORT", "DB_PORT");
    int port = number(portKey, Setting.DATABASE_PORT);
    String[] names = text(key, Setting.DATABASE_HOST).split(",", -1);
    List<Settings.DatabaseHost> hosts = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      boolean isLast = i == names.length - 1;
      Matcher host = HOST.matcher(names[i].strip());
      if (!host.matches()) {
        complaints
            .add(key + " must be a host, or hosts separated by commas such as db1:5432,db2, not \""
                + text(key, Setting.DATABASE_HOST) + "\"");
      } else if (isLast && host.group(2) != null) {
        complaints.add(key + ": the port of the last host belongs in " + portKey + ", not after \""
            + names[i].strip() + "\"");
      } else if (!isLast && host.group(2) == null && port != 5432) {
        complaints.add(key + ": \"" + names[i].strip() + "\" needs its port, as in " + host.group(1)
            + ":" + port + ", since " + portKey
            + " is that of the last host only");
      } else {
        int own = isLast ? port : host.group(2) == null ? 5432 : Integer.parseInt(host.group(2));
        if (own < 1 || own > 65_535) {
          complaints.add(key + ": a port must be between 1 and 65535, not " + own);
        }
        hosts.add(new Settings.DatabaseHost(host.group(1), own));
      }
    }
    return hosts;
  }

  private Set<String> names(Setting setting) {
    String value = text(setting);
    return value == null ? Set.of()
        : Arrays.stream(value.split(",")).map(String::strip).filter(name -> !name.isEmpty())
            .collect(Collectors.toSet());
  }

  /**
   * Decided here and not by an expression in a file of defaults: one of the servers does not
   * resolve expressions against
   * the environment.
   */
  private String either(Setting setting, String... variables) {
    if (text(setting.key(), (String) null) == null) {
      for (String variable : variables) {
        if (text(variable, (String) null) != null) {
          return variable;
        }
      }
    }
    return setting.key();
  }

  /** Null without a value and a default. */
  private String text(Setting setting) {
    return text(setting.key(), setting);
  }

  private String text(String key, Setting setting) {
    return text(key, setting.fallback().orElse(null));
  }

  /** The value of a key, or what is in the file that the key with "-file" at its end names. */
  private String secret(Setting setting) {
    String key = setting.key();
    Optional<Path> file = readable(key + "-file");
    if (file.isEmpty()) {
      return text(key, (String) null);
    }
    try {
      String value = Secret.read(file.get());
      return value.isBlank() ? null : value;
    } catch (IOException e) {
      complaints.add(key + "-file cannot be read: " + e);
      return null;
    }
  }

  /** With a file, the value that is also given, or that is the default, counts for nothing. */
  private Secret databasePassword() {
    return new Secret(
        text(either(Setting.DATABASE_PASSWORD, "DB_PASSWORD"), Setting.DATABASE_PASSWORD),
        readable(either(Setting.DATABASE_PASSWORD_FILE, "DB_PASSWORD_FILE")));
  }

  private Settings.TlsSettings tls() {
    String modeKey = either(Setting.DATABASE_SSL_MODE, "DB_SSL_MODE");
    String mode = text(modeKey, Setting.DATABASE_SSL_MODE).strip().toLowerCase(Locale.ROOT);
    if (!SSL_MODES.contains(mode)) {
      complaints.add(modeKey + " must be one of " + String.join(", ", SSL_MODES) + ", not \"" + mode
          + "\"");
    }
    String rootKey = either(Setting.DATABASE_SSL_ROOT_CERT, "DB_SSL_ROOT_CERT");
    Optional<Path> root = readable(rootKey);
    if (mode.startsWith("verify-") && text(rootKey, (String) null) == null) {
      complaints.add(modeKey + " " + mode + " needs " + rootKey
          + ", a file with the certificates that the database's is checked against");
    }
    String certificateKey = either(Setting.DATABASE_SSL_CERT, "DB_SSL_CERT");
    String keyKey = either(Setting.DATABASE_SSL_KEY, "DB_SSL_KEY");
    Optional<Path> certificate = readable(certificateKey);
    Optional<Path> key = readable(keyKey);
    // One file with both, as PKCS 12, needs no other.
    if (text(certificateKey, (String) null) != null && text(keyKey, (String) null) == null) {
      complaints.add(certificateKey + " needs " + keyKey + ", the file with its key");
    }
    String password = text(either(Setting.DATABASE_SSL_PASSWORD, "DB_SSL_PASSWORD"), "");
    return new Settings.TlsSettings(mode, named(root), named(certificate), named(key), password);
  }

  private static String named(Optional<Path> file) {
    return file.map(Path::toString).orElse("");
  }

  /** Empty when it is not given, and with a complaint when it cannot be read. */
  private Optional<Path> readable(String key) {
    Optional<Path> file = Optional.ofNullable(text(key, (String) null)).map(Path::of);
    if (file.isPresent() && !Files.isReadable(file.get())) {
      complaints.add(key + ": there is no readable file " + file.get());
      return Optional.empty();
    }
    return file;
  }

  private String text(String key, String fallback) {
    return given(key).filter(value -> !value.isBlank()).orElse(fallback);
  }

  /**
   * Also by the name of its environment variable: the servers look for that in the capitals of the
   * machine's language, and in Turkish
   * that of i is another letter than I.
   */
  private Optional<String> given(String key) {
    Optional<String> byKey = config.getOptionalValue(key, String.class);
    String variable = NOT_IN_A_VARIABLE.matcher(key).replaceAll("_").toUpperCase(Locale.ROOT);
    Optional<String> byVariable = config.getOptionalValue(variable, String.class);
    if (byKey.isPresent() && byVariable.isPresent() && !byKey.equals(byVariable)) {
      return config.getConfigValue(variable).getSourceOrdinal() > config.getConfigValue(key)
          .getSourceOrdinal() ? byVariable : byKey;
    }
    return byKey.or(() -> byVariable);
  }

  private boolean flag(Setting setting) {
    boolean fallback = Boolean.parseBoolean(setting.fallback().orElseThrow());
    return parse(setting.key(), fallback, value -> switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException();
    }, "true or false");
  }

  private Duration seconds(Setting setting) {
    return Duration.ofSeconds(number(setting));
  }

  private int number(Setting setting) {
    return number(setting.key(), setting);
  }

  private int number(String key, Setting setting) {
    int value = parse(key, setting.number(), Integer::parseInt, "a whole number");
    if (!setting.allows(value)) {
      complaints.add(key + " must be between " + setting.range().replace(" to ", " and ") + ", not "
          + value);
      return setting.number();
    }
    return value;
  }

  private <T> T parse(String key, T fallback, Function<String, T> parser, String expected) {
    String value = text(key, (String) null);
    if (value == null) {
      return fallback;
    }
    try {
      return parser.apply(value.strip());
    } catch (IllegalArgumentException e) {
      complaints.add(key + " must be " + expected + ", not \"" + value + "\"");
      return fallback;
    }
  }
}
