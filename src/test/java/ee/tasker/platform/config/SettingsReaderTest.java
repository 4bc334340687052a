package ee.tasker.platform.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.config.spi.Converter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class SettingsReaderTest {
  /** Before a value: of a system property. */
  private static final String SYSTEM_PROPERTY = "system:";

  @Test
  void nothing_configured_gives_one_server_with_every_role() {
    Settings settings = read(Map.of());

    assertThat(settings.roles()).containsExactlyInAnyOrder(Role.values());
    assertThat(settings.events()).isTrue();
    assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.templatesFolder()).isEmpty();
    assertThat(settings.environment()).isEqualTo("production");
    assertThat(settings.worker().capacity()).isEqualTo(100);
    assertThat(settings.worker().namespaces()).isEmpty();
    assertThat(settings.worker().lease()).isEqualTo(Duration.ofSeconds(60));
    assertThat(settings.maxBodyBytes()).isEqualTo(1_048_576);
  }

  @Test
  void steps_are_traced_only_where_opentelemetry_is_said_not_to_be_disabled() {
    assertThat(read(Map.of()).traces()).isFalse();
    assertThat(read(Map.of("otel.sdk.disabled", "true")).traces()).isFalse();
    assertThat(read(Map.of("otel.sdk.disabled", "False")).traces()).isTrue();
  }

  @Test
  void a_setting_is_found_by_its_environment_variable_in_every_language() {
    assertThat(read(Map.of("TASKER_POLL_INTERVAL_SECONDS", "7", "TASKER_ROLES", "api",
        "TASKER_TEMPLATES_FOLDER", "target")))
        .satisfies(settings -> {
          assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(7));
          assertThat(settings.roles()).containsExactly(Role.API);
          assertThat(settings.templatesFolder()).contains(Path.of("target"));
        });
  }

  @Test
  void of_a_variable_and_another_source_the_one_of_the_higher_ordinal_counts() {
    assertThat(
        read(Map.of("tasker.poll.interval-seconds", "7", "TASKER_POLL_INTERVAL_SECONDS", "8"))
            .pollInterval())
        .isEqualTo(Duration.ofSeconds(8));
    assertThat(read(Map.of("tasker.poll.interval-seconds", SYSTEM_PROPERTY + "7",
        "TASKER_POLL_INTERVAL_SECONDS", "8")).pollInterval())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void blank_counts_as_not_configured() {
    assertThat(
        read(Map.of("tasker.roles", " ", "tasker.worker.capacity", "", "tasker.templates.folder",
            " ", "tasker.worker.namespaces", "")))
        .isEqualTo(read(Map.of()));
  }

  @Test
  void values_are_read_with_blanks_around_them() {
    Settings settings = read(
        Map.of("tasker.roles", " Worker , API ", "tasker.worker.capacity", " 7 ",
            "tasker.worker.namespaces", "a, b ,,c",
            "tasker.notify.enabled", "false", "tasker.poll.interval-seconds", "0"));

    assertThat(settings.roles()).containsExactlyInAnyOrder(Role.WORKER, Role.API);
    assertThat(settings.worker().capacity()).isEqualTo(7);
    assertThat(settings.worker().namespaces()).isEqualTo(Set.of("a", "b", "c"));
    assertThat(settings.events()).isFalse();
    assertThat(settings.pollInterval()).isZero();
  }

  @Test
  void every_complaint_is_made_at_once_and_names_its_key() {
    assertThatThrownBy(() -> read(Map.of(
        "tasker.roles", "api,boss", "tasker.notify.enabled", "yes", "tasker.poll.interval-seconds",
        "-1", "tasker.templates.folder",
        "/there/is/no/such",
        "tasker.worker.capacity", "0", "tasker.worker.lease-seconds", "10",
        "tasker.worker.heartbeat-seconds", "9",
        "tasker.worker.batch-size", "many",
        "tasker.database.port", "70000", "tasker.api.max-body-bytes", "99999999999")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("tasker.roles", "boss", "tasker.notify.enabled",
            "tasker.poll.interval-seconds", "tasker.templates.folder",
            "tasker.worker.capacity", "tasker.worker.heartbeat-seconds must be at most a third",
            "tasker.worker.batch-size",
            "tasker.database.port", "tasker.api.max-body-bytes");
  }

  @ParameterizedTest
  @ValueSource(strings = {",", " , ,", "boss"})
  void server_without_any_role_is_refused(String roles) {
    assertThatThrownBy(() -> read(Map.of("tasker.roles", roles)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tasker.roles");
  }

  @ParameterizedTest
  @CsvSource({"5, 1", "6, 2", "60, 20"})
  void heartbeat_of_a_third_of_the_lease_is_enough(String lease, String heartbeat) {
    assertThat(read(
        Map.of("tasker.worker.lease-seconds", lease, "tasker.worker.heartbeat-seconds", heartbeat))
        .worker().heartbeat())
        .isEqualTo(Duration.ofSeconds(Long.parseLong(heartbeat)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
    "db; 5433; db:5433", "db1,db2; 5432; db1:5432 db2:5432",
    "db1:5433, db2; 5434; db1:5433 db2:5434",
    "[::1]:6000,[::1],10.0.0.7; 5432; [::1]:6000 [::1]:5432 10.0.0.7:5432"})
  void several_hosts_are_read_as_the_driver_reads_them(String host, String port, String read) {
    List<Settings.DatabaseHost> hosts = read(Map.of("DB_HOST", host, "DB_PORT", port)).listen()
        .hosts();
    assertThat(hosts.stream().map(Settings.DatabaseHost::toString))
        .containsExactly(read.split(" "));

    // The servers' datasources are made of the same two values, put together as here.
    Properties driver = Driver
        .parseURL("jdbc:postgresql://" + host.replace(" ", "") + ":" + port + "/tasker", null);
    assertThat(driver.getProperty("PGHOST").split(","))
        .containsExactly(hosts.stream().map(Settings.DatabaseHost::name).toArray(String[]::new));
    assertThat(driver.getProperty("PGPORT").split(","))
        .containsExactly(
            hosts.stream().map(each -> Integer.toString(each.port())).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
    "db1,db2; 5433; needs its port, as in db1:5433", "db1,db2:5433; 5432; belongs in DB_PORT",
    "db:5433; 5432; belongs in DB_PORT",
    "db1,,db2; 5432; must be a host", "db1,; 5432; must be a host",
    "db1:99999,db2; 5432; between 1 and 65535",
    "jdbc:postgresql://db/tasker; 5432; must be a host"})
  void hosts_that_would_lead_elsewhere_on_the_day_of_a_failover_are_refused(String host,
      String port, String complaint) {
    assertThatThrownBy(() -> read(Map.of("DB_HOST", host, "DB_PORT", port)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("DB_HOST").hasMessageContaining(complaint);
  }

  @Test
  void password_is_not_shown() {
    assertThat(read(Map.of("tasker.database.password", "hush")).toString()).doesNotContain("hush");
  }

  @Test
  void the_listening_connection_may_have_an_address_of_its_own() {
    Map<String, String> pooler = Map.of("DB_HOST", "pooler", "DB_PORT", "6432");
    assertThat(read(pooler).listen().hosts())
        .containsExactly(new Settings.DatabaseHost("pooler", 6432));
    assertThat(read(with(pooler, "DB_LISTEN_HOST", "db")).listen().hosts())
        .containsExactly(new Settings.DatabaseHost("db", 6432));
    assertThat(read(with(pooler, "DB_LISTEN_PORT", "5432")).listen().hosts())
        .containsExactly(new Settings.DatabaseHost("pooler", 5432));
    assertThat(read(with(with(pooler, "DB_LISTEN_HOST", "db"), "tasker.database.host", "other"))
        .listen().hosts()).containsExactly(new Settings.DatabaseHost("other", 6432));
  }

  @Test
  void tls_of_the_listening_connection_is_that_of_the_datasource(@TempDir Path folder)
      throws IOException {
    String file = Files.writeString(folder.resolve("ca.crt"), "a certificate").toString();
    assertThat(read(Map.of()).listen().tls().mode()).isEqualTo("prefer");

    Settings.TlsSettings tls = read(Map.of("DB_SSL_MODE", "verify-full", "DB_SSL_ROOT_CERT", file,
        "DB_SSL_CERT", file, "DB_SSL_KEY", file, "DB_SSL_PASSWORD", "of the key")).listen().tls();

    assertThat(tls)
        .isEqualTo(new Settings.TlsSettings("verify-full", file, file, file, "of the key"));
    assertThat(tls.toString()).doesNotContain("of the key");
  }

  @Test
  void tls_that_would_check_nothing_or_fail_at_each_connection_is_refused() {
    assertThatThrownBy(() -> read(Map.of("DB_SSL_MODE", "verify-full")))
        .hasMessageContaining("DB_SSL_MODE verify-full needs tasker.database.ssl-root-cert");
    assertThatThrownBy(() -> read(Map.of("DB_SSL_MODE", "verify_full")))
        .hasMessageContaining("must be one of disable, allow, prefer, require, verify-ca");
    assertThatThrownBy(() -> read(Map.of("DB_SSL_ROOT_CERT", "/no/such/file")))
        .hasMessageContaining("DB_SSL_ROOT_CERT: there is no readable file /no/such/file");
    assertThatThrownBy(() -> read(Map.of("DB_SSL_CERT", "pom.xml")))
        .hasMessageContaining("DB_SSL_CERT needs tasker.database.ssl-key");
  }

  @Test
  void secrets_are_read_from_files_and_that_of_the_database_each_time(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), "twelve letters\n");

    Settings settings = read(Map.of("DB_PASSWORD", "other", "DB_PASSWORD_FILE", file.toString(),
        "TASKER_SECURITY_ADMIN_PASSWORD_FILE", file.toString()));

    assertThat(settings.security().admin())
        .contains(new Settings.FirstAdmin("admin", "twelve letters"));
    assertThat(settings.listen().password().current()).isEqualTo("twelve letters");
    Files.writeString(file, "the next one");
    assertThat(settings.listen().password().current()).isEqualTo("the next one");
    assertThat(read(Map.of("DB_PASSWORD", "other")).listen().password().current())
        .isEqualTo("other");
    assertThat(settings.listen().password().toString()).doesNotContain("other");
    assertThatThrownBy(() -> read(Map.of("DB_PASSWORD_FILE", "/no/such/file")))
        .hasMessageContaining("DB_PASSWORD_FILE: there is no readable file /no/such/file");
  }

  private static Map<String, String> with(Map<String, String> values, String key, String value) {
    Map<String, String> more = new HashMap<>(values);
    more.put(key, value);
    return more;
  }

  private static Settings read(Map<String, String> values) {
    return new SettingsReader().read(new MapConfig(values));
  }

  /** With the ordinal of its source: a system property, an environment variable, or a file. */
  private record Value(String getName, String getRawValue) implements ConfigValue {
    @Override
    public String getValue() {
      return getRawValue;
    }

    @Override
    public String getSourceName() {
      return "map";
    }

    @Override
    public int getSourceOrdinal() {
      return getRawValue.startsWith(SYSTEM_PROPERTY) ? 400
          : getName.startsWith("TASKER_") ? 300 : 100;
    }
  }

  /** Configuration from a map; of all ways to ask it, the one that is used. */
  record MapConfig(Map<String, String> values) implements Config {
    @Override
    public <T> Optional<T> getOptionalValue(String name, Class<T> type) {
      return Optional.ofNullable(values.get(name)).map(value -> value.replace(SYSTEM_PROPERTY, ""))
          .filter(value -> !value.isEmpty())
          .map(type::cast);
    }

    @Override
    public <T> T getValue(String name, Class<T> type) {
      return getOptionalValue(name, type).orElseThrow();
    }

    @Override
    public ConfigValue getConfigValue(String name) {
      return new Value(name, values.get(name));
    }

    @Override
    public Iterable<String> getPropertyNames() {
      return values.keySet();
    }

    @Override
    public Iterable<ConfigSource> getConfigSources() {
      return Set.of();
    }

    @Override
    public <T> Optional<Converter<T>> getConverter(Class<T> type) {
      return Optional.empty();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
      throw new IllegalArgumentException();
    }
  }
}
