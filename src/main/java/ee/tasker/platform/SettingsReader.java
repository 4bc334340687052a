package ee.tasker.platform;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
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
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Reads {@link Settings} from MicroProfile Config and rejects invalid configuration with all
 * violations at once.
 */
@Dependent
public class SettingsReader {
  /** A name or an address, in brackets if it contains colons, and a port. */
  private static final Pattern HOST = Pattern
      .compile("([^\\s:,/\\[\\]]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,6}))?");

  private static final List<String> SSL_MODES = List.of("disable", "allow", "prefer", "require",
      "verify-ca", "verify-full");

  private static final Pattern NOT_IN_A_VARIABLE = Pattern.compile("[^A-Za-z0-9]");

  private final List<String> complaints = new ArrayList<>();
  private Config config;

  @Produces
  @Singleton
  public Settings settings() {
    return read(ConfigProvider.getConfig());
  }

  Settings read(Config source) {
    config = source;
    Duration lease = seconds("tasker.worker.lease-seconds", 60, 5, 86_400);
    Duration heartbeat = seconds("tasker.worker.heartbeat-seconds", 2, 1, 28_800);
    if (heartbeat.multipliedBy(3).compareTo(lease) > 0) {
      complaints.add(
          "tasker.worker.heartbeat-seconds must be at most a third of tasker.worker.lease-seconds");
    }
    Settings settings = new Settings(
        roles(), flag("tasker.notify.enabled", true), flag("tasker.migrate", true),
        flag("tasker.guards", false),
        seconds("tasker.poll.interval-seconds", 30, 0, 86_400), folder(),
        text("tasker.environment", "production"),
        new Settings.WorkerSettings(
            number("tasker.worker.capacity", 100, 1, 10_000),
            number("tasker.worker.prefetch", 3, 0, 100), names("tasker.worker.namespaces"), lease,
            heartbeat, number("tasker.worker.batch-size", 500, 1, 5_000),
            number("tasker.worker.flushers", 2, 1, 32),
            seconds("tasker.worker.drain-seconds", 10, 0, 3_600)),
        new Settings.ListenSettings(
            databaseHosts(),
            text(either("tasker.database.name", "DB_NAME"), "tasker"),
            text(either("tasker.database.user", "DB_USER"), "tasker"),
            databasePassword(), tls()),
        number("tasker.api.max-body-bytes", 1_048_576, 1_024, 67_108_864),
        number("tasker.api.large-bytes", 65_536, 1_024, 67_108_864),
        new Settings.BodyPace(seconds("tasker.api.body-timeout-seconds", 30, 1, 3_600),
            number("tasker.api.body-min-bytes-per-second", 8_192, 1, 1_073_741_824)),
        number("tasker.api.max-concurrent-requests", 256, 1, 100_000),
        Duration.ofMillis(number("tasker.api.max-queue-millis", 1_000, 10, 600_000)),
        origins(),
        baseUrl(),
        new Settings.RecoverySettings(
            seconds("tasker.recovery.offer-timeout-seconds", 300, 10, 86_400),
            seconds("tasker.recovery.unserved-seconds", 86_400, 0, 31_536_000),
            seconds("tasker.cancel.grace-seconds", 30, 0, 86_400),
            number("tasker.messages.delivery-limit", 5, 1, 100)),
        seconds("tasker.idempotency.retention-seconds", 86_400, 60, 31_536_000),
        new Settings.StreamSettings(
            number("tasker.streams.limit", 200, 0, 10_000),
            number("tasker.streams.buffer", 10_000, 10, 1_000_000),
            seconds("tasker.streams.heartbeat-seconds", 15, 1, 3_600)),
        new Settings.HousekeepingSettings(
            seconds("tasker.housekeeping.interval-seconds", 60, 0, 86_400),
            number("tasker.housekeeping.batch-size", 200, 1, 10_000),
            Duration.ofMillis(number("tasker.housekeeping.pause-millis", 100, 0, 60_000))),
        // Not one of our settings, so its value is not checked.
        "false".equalsIgnoreCase(text("otel.sdk.disabled", "true")),
        messaging(), security(), webhooks(),
        seconds("tasker.database.statement-timeout-seconds", 45, 0, 3_600), replica());
    if (!complaints.isEmpty()) {
      throw new IllegalStateException(
          "the configuration cannot be used: " + String.join("; ", complaints));
    }
    return settings;
  }

  /** Empty without both names. */
  private Optional<Settings.MessagingSettings> messaging() {
    String factory = text("tasker.events.messaging.connection-factory", null);
    String topic = text("tasker.events.messaging.topic", null);
    if ((factory == null) != (topic == null)) {
      complaints.add(
          "tasker.events.messaging.connection-factory and tasker.events.messaging.topic are needed both, or neither");
    }
    return factory == null || topic == null ? Optional.empty()
        : Optional.of(new Settings.MessagingSettings(factory, topic));
  }

  /** Empty without a datasource. */
  private Optional<Settings.ReplicaSettings> replica() {
    Duration maxStaleness = seconds("tasker.replica.max-staleness-seconds", 30, 1, 3_600);
    return Optional.ofNullable(text("tasker.replica.data-source", null)).map(String::strip)
        .map(name -> new Settings.ReplicaSettings(name, maxStaleness));
  }

  private Settings.WebhookSettings webhooks() {
    Set<Integer> ports = new HashSet<>();
    Set<String> names = text("tasker.webhooks.allow-ports", null) == null ? Set.of("443", "8443")
        : names("tasker.webhooks.allow-ports");
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
    names("tasker.webhooks.allow-addresses").stream().sorted().forEach(name -> {
      try {
        networks.add(Network.parse(name));
      } catch (IllegalArgumentException e) {
        complaints
            .add("tasker.webhooks.allow-addresses must be networks such as 10.1.0.0/16, not \""
                + name + "\"");
      }
    });
    return new Settings.WebhookSettings(flag("tasker.webhooks.allow-http", false), ports, networks,
        number("tasker.webhooks.concurrency", 32, 0, 1_000));
  }

  private Settings.SecuritySettings security() {
    Set<String> open = names("tasker.security.open");
    open.stream().filter(name -> !Set.of("metrics", "openapi").contains(name)).sorted()
        .forEach(name -> complaints.add(
            "tasker.security.open: only metrics and openapi can be open, not \"" + name + "\""));
    String name = text("tasker.security.admin.name", "admin");
    String password = secret("tasker.security.admin.password");
    String hash = secret("tasker.security.admin.password-hash");
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
    return new Settings.SecuritySettings(seconds("tasker.security.cache-seconds", 30, 1, 3_600),
        seconds("tasker.security.session-seconds", 43_200, 60, 2_592_000), open,
        Optional.ofNullable(password == null ? hash : password)
            .map(secret -> new Settings.FirstAdmin(name, secret)),
        token());
  }

  /** Empty without an issuer. */
  private Optional<Settings.TokenSettings> token() {
    String issuer = text("tasker.security.token.issuer", null);
    String audience = text("tasker.security.token.audience", null);
    String key = secret("tasker.security.token.public-key");
    String url = text("tasker.security.token.jwks-url", null);
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
        Optional.ofNullable(url).map(URI::create), text("tasker.security.token.name-claim", "sub"),
        text("tasker.security.token.permissions-claim", "permissions"),
        text("tasker.security.token.namespaces-claim", "namespaces")));
  }

  private Set<String> origins() {
    Set<String> origins = names("tasker.api.allowed-origins");
    origins.stream().filter(origin -> !origin.matches("https?://[A-Za-z0-9.-]+(:[0-9]+)?")).sorted()
        .forEach(
            origin -> complaints
                .add(
                    "tasker.api.allowed-origins must be origins such as https://console.example.com, not \""
                        + origin + "\""));
    return origins;
  }

  private Optional<String> baseUrl() {
    String url = text("tasker.api.base-url", null);
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
    for (String role : text("tasker.roles", "api,orchestrator,worker").split(",")) {
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
    Optional<Path> folder = given("tasker.templates.folder").filter(value -> !value.isBlank())
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
    String key = either("tasker.database.host", "DB_LISTEN_HOST", "DB_HOST");
    String portKey = either("tasker.database.port", "DB_LISTEN_PORT", "DB_PORT");
    int port = number(portKey, 5432, 1, 65_535);
    String[] names = text(key, "localhost").split(",", -1);
    List<Settings.DatabaseHost> hosts = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      boolean isLast = i == names.length - 1;
      Matcher host = HOST.matcher(names[i].strip());
      if (!host.matches()) {
        complaints
            .add(key + " must be a host, or hosts separated by commas such as db1:5432,db2, not \""
                + text(key, "") + "\"");
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

  private Set<String> names(String key) {
    Set<String> names = new HashSet<>();
    given(key).ifPresent(value -> Arrays.stream(value.split(",")).map(String::strip)
        .filter(name -> !name.isEmpty()).forEach(names::add));
    return names;
  }

  /**
   * Decided here and not by an expression in a file of defaults: one of the servers does not
   * resolve expressions against
   * the environment.
   */
  private String either(String key, String... variables) {
    if (text(key, null) == null) {
      for (String variable : variables) {
        if (text(variable, null) != null) {
          return variable;
        }
      }
    }
    return key;
  }

  /** The value of a key, or what is in the file that the key with "-file" at its end names. */
  private String secret(String key) {
    Optional<Path> file = readable(key + "-file");
    if (file.isEmpty()) {
      return text(key, null);
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
    return new Secret(text(either("tasker.database.password", "DB_PASSWORD"), "tasker"),
        readable(either("tasker.database.password-file", "DB_PASSWORD_FILE")));
  }

  private Settings.TlsSettings tls() {
    String modeKey = either("tasker.database.ssl-mode", "DB_SSL_MODE");
    String mode = text(modeKey, "prefer").strip().toLowerCase(Locale.ROOT);
    if (!SSL_MODES.contains(mode)) {
      complaints.add(modeKey + " must be one of " + String.join(", ", SSL_MODES) + ", not \"" + mode
          + "\"");
    }
    String rootKey = either("tasker.database.ssl-root-cert", "DB_SSL_ROOT_CERT");
    Optional<Path> root = readable(rootKey);
    if (mode.startsWith("verify-") && text(rootKey, null) == null) {
      complaints.add(modeKey + " " + mode + " needs " + rootKey
          + ", a file with the certificates that the database's is checked against");
    }
    String certificateKey = either("tasker.database.ssl-cert", "DB_SSL_CERT");
    String keyKey = either("tasker.database.ssl-key", "DB_SSL_KEY");
    Optional<Path> certificate = readable(certificateKey);
    Optional<Path> key = readable(keyKey);
    // One file with both, as PKCS 12, needs no other.
    if (text(certificateKey, null) != null && text(keyKey, null) == null) {
      complaints.add(certificateKey + " needs " + keyKey + ", the file with its key");
    }
    String password = text(either("tasker.database.ssl-password", "DB_SSL_PASSWORD"), "");
    return new Settings.TlsSettings(mode, named(root), named(certificate), named(key), password);
  }

  private static String named(Optional<Path> file) {
    return file.map(Path::toString).orElse("");
  }

  /** Empty when it is not given, and with a complaint when it cannot be read. */
  private Optional<Path> readable(String key) {
    Optional<Path> file = Optional.ofNullable(text(key, null)).map(Path::of);
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

  private boolean flag(String key, boolean fallback) {
    return parse(key, fallback, value -> switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException();
    }, "true or false");
  }

  private Duration seconds(String key, int fallback, int least, int most) {
    return Duration.ofSeconds(number(key, fallback, least, most));
  }

  private int number(String key, int fallback, int least, int most) {
    int value = parse(key, fallback, Integer::parseInt, "a whole number");
    if (value < least || value > most) {
      complaints.add(key + " must be between " + least + " and " + most + ", not " + value);
      return fallback;
    }
    return value;
  }

  private <T> T parse(String key, T fallback, Function<String, T> parser, String expected) {
    String value = text(key, null);
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
