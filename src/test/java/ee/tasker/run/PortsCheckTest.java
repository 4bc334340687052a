package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./mvnw} says within seconds instead of after the build. */
class PortsCheckTest {
  @TempDir
  private Path checkout;

  private RunSettings settings(Map<String, String> more) {
    Properties build = new Properties();
    build.putAll(Map.of("tasker.checkout", checkout.toString(), "tasker.war", "none.war",
        "tasker.server.home", "none",
        "tasker.postgres.version", "18.6.0"));
    Map<String, String> environment = new HashMap<>(
        Map.of("HTTP_PORT", "" + Ports.freeNear(65536), "DB_PORT", "" + Ports.freeNear(65536)));
    environment.putAll(more);
    return RunSettings.from(environment, build);
  }

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
  }

  @Test
  void free_ports_are_no_problem_and_nothing_is_taken_or_made() {
    RunSettings settings = settings(Map.of());

    assertThatCode(() -> PortsCheck.check(settings)).doesNotThrowAnyException();
    assertThatCode(() -> PortsCheck.check(settings)).doesNotThrowAnyException();
    assertThat(checkout.resolve(".tasker/login")).doesNotExist();
  }

  @Test
  void taken_http_port_is_told() throws IOException {
    try (ServerSocket other = listener()) {
      assertThatThrownBy(
          () -> PortsCheck.check(settings(Map.of("HTTP_PORT", "" + other.getLocalPort()))))
          .isInstanceOf(RunProblem.class)
          .hasMessageContainingAll("Port " + other.getLocalPort() + " is taken", "HTTP_PORT=");
    }
  }

  @Test
  void http_port_that_is_taken_at_the_other_address_of_localhost_is_told() throws IOException {
    InetAddress other = InetAddress.getByName("::1");
    boolean isLocalhost = List.of(InetAddress.getAllByName("localhost")).contains(other);
    assumeTrue(isLocalhost, "localhost is 127.0.0.1 only on this machine");
    try (ServerSocket listener = new ServerSocket(0, 1, other)) {
      assertThatThrownBy(
          () -> PortsCheck.check(settings(Map.of("HTTP_PORT", "" + listener.getLocalPort()))))
          .isInstanceOf(RunProblem.class)
          .hasMessageContaining("Port " + listener.getLocalPort() + " is taken");
    }
  }

  @Test
  void bound_of_the_start_is_checked_with_the_ports() {
    assertThat(settings(Map.of()).startBound()).isEqualTo(Duration.ofMinutes(30));
    assertThat(settings(Map.of("START_SECONDS", "3600")).startBound())
        .isEqualTo(Duration.ofHours(1));
    for (String wrong : List.of("9", "86401", "an hour")) {
      assertThatThrownBy(() -> settings(Map.of("START_SECONDS", wrong)))
          .isInstanceOf(RunProblem.class)
          .hasMessage(
              "START_SECONDS must be a number of seconds from 10 to 86400, and is: " + wrong);
    }
  }

  @Test
  void taken_port_of_the_database_is_reported_unless_the_database_is_another() throws IOException {
    try (ServerSocket other = listener()) {
      Map<String, String> port = Map.of("DB_PORT", "" + other.getLocalPort());
      assertThatThrownBy(() -> PortsCheck.check(settings(port)))
          .isInstanceOf(RunProblem.class)
          .hasMessageContainingAll("Port " + other.getLocalPort() + " is taken", "DB_PORT=");

      assertThatCode(() -> PortsCheck
          .check(settings(Map.of("DB_PORT", "" + other.getLocalPort(), "DB_HOST", "db.example"))))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void second_run_in_the_same_folder_is_told() {
    RunSettings settings = settings(Map.of());
    try (FolderLock first = FolderLock.of(settings.folder().resolve("run-" + settings.httpPort()))
        .orElseThrow()) {
      assertThatThrownBy(() -> PortsCheck.check(settings)).isInstanceOf(RunProblem.class)
          .hasMessageContaining("Another ./mvnw");
    }
    try (FolderLock first = FolderLock.of(settings.folder().resolve("postgres-18")).orElseThrow()) {
      assertThatThrownBy(() -> PortsCheck.check(settings)).isInstanceOf(RunProblem.class)
          .hasMessageContaining("DB_HOST=127.0.0.1");
    }
  }

  @Test
  void server_that_the_run_would_stop_is_not_in_the_way() throws IOException {
    try (ServerSocket orphans = listener()) {
      RunSettings settings = settings(Map.of("HTTP_PORT", "" + orphans.getLocalPort()));
      Path folder = Files
          .createDirectories(settings.folder().resolve("run-" + settings.httpPort()));
      ProcessHandle self = ProcessHandle.current();
      Files.writeString(folder.resolve("server.pid"),
          self.pid() + " " + self.info().startInstant().map(Instant::toEpochMilli).orElseThrow());

      assertThatCode(() -> PortsCheck.check(settings)).doesNotThrowAnyException();
    }
  }
}
