package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.docs.Readme;
import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts the command line as its users do, by the script and the jar that {@code ./mvnw -f
 * extras/pom.xml package} has made. It runs
 * only when it is asked for, {@code -Dit.test=CliIT}, since the product's build does not make the
 * jar.
 */
@Tag("long")
@AgainstServer
class CliIT {
  private static final Path SCRIPT = Path.of(System.getProperty("tasker.checkout"), "extras", "cli",
      "tasker");

  private final TaskerClient server;
  private final Map<String, String> environment = new TreeMap<>();

  @TempDir
  private Path home;

  CliIT(TaskerClient server) {
    this.server = server;
    server.register("/testing/templates.yaml");
  }

  private record Run(int status, String out, String err) {
  }

  @BeforeEach
  void log_in() {
    environment.put("HOME", home.toString());
    environment.put("XDG_CACHE_HOME", home.resolve("cache").toString());
    environment.put("XDG_CONFIG_HOME", home.resolve("config").toString());
    environment.put("TASKER_CDS", "off");
    assertThat(
        taskerWith(Login.FOR_TESTS.password() + "\n", "login", "--url", server.base().toString(),
            "--user", Login.FOR_TESTS.name(),
            "--stdin"))
        .satisfies(run -> assertThat(run.status()).as(run.err()).isZero());
  }

  @Test
  void login_is_stored_for_its_owner_only_and_forgotten_by_logout() throws IOException {
    Path file = home.resolve("config/tasker/profiles.json");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    assertThat(tasker("whoami").out()).contains("name  admin");

    assertThat(tasker("logout").status()).isZero();

    assertThat(tasker("whoami", "--url", server.base().toString())).satisfies(run -> {
      assertThat(run.status()).isEqualTo(6);
      assertThat(run.err()).startsWith("tasker: Not authenticated").contains("tasker login");
    });
  }

  @Test
  void wrong_password_is_told_and_not_stored() {
    Run run = taskerWith("a wrong password\n", "login", "--url", server.base().toString(),
        "--profile", "wrong", "--user", "admin",
        "--stdin");

    assertThat(run.status()).isEqualTo(6);
    assertThat(run.err()).contains("not-authenticated").doesNotContain("a wrong password", "\tat ");
    assertThat(tasker("profile", "list").out()).contains("default").doesNotContain("wrong");
  }

  @Test
  void key_of_a_login_can_do_what_its_user_may() throws IOException {
    Run run = taskerWith(Login.FOR_TESTS.password() + "\n", "login", "--url",
        server.base().toString(), "--profile", "laptop", "--user",
        "admin", "--stdin", "--create-key",
        "laptop of a test", "--expires-in-days", "1");

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(Files.readString(home.resolve("config/tasker/profiles.json"))).contains("tkr_");
    assertThat(tasker("--profile", "laptop", "whoami").out()).contains("key");
    assertThat(tasker("--profile", "laptop", "key", "list").out()).contains("laptop of a test");
  }

  @Test
  void template_is_registered_and_its_task_watched_to_its_end() throws IOException {
    String name = "cli_" + UUID.randomUUID().toString().substring(0, 8);
    Path template = Files.writeString(home.resolve("template.yaml"), """
        name: %s
        namespace_name: testing
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: first, handler: {callable: testing.Echo}}
          - {name: second, dependencies: [first], handler: {callable: testing.Echo}}
        """.formatted(name));

    assertThat(tasker("template", "validate", template.toString()).out()).contains("valid");
    assertThat(tasker("template", "register", template.toString()).out())
        .contains("testing/" + name + ":1.0.0 registered");
    assertThat(tasker("template", "diff", "testing/" + name, template.toString()))
        .satisfies(run -> assertThat(run.status()).as(run.out()).isZero());
    assertThat(tasker("template", "graph", "testing/" + name).out())
        .isEqualTo("○  first\n○  second\n");

    Run run = tasker("task", "submit", "testing/" + name, "--set", "n=7", "--watch");

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("step second  enqueued_for_orchestration -> complete", "is complete")
        .doesNotContain("\u001B");
    JsonObject page = json(
        tasker("task", "list", "--name", name, "--state", "complete", "-o", "json"));
    assertThat(page.getJsonArray("tasks")).hasSize(1);
    String task = page.getJsonArray("tasks").getJsonObject(0).getString("task_uuid");
    assertThat(tasker("task", "get", task).out()).contains("namespace  testing",
        "first   complete");
    assertThat(tasker("task", "get", task.substring(0, 23)).out())
        .isEqualTo(tasker("task", "get", task).out());
    assertThat(tasker("task", "get", "--last").out()).isEqualTo(tasker("task", "get", task).out());
    assertThat(tasker("task", "get", "ffff").status()).isEqualTo(3);
    // A second task, so that the beginning that all have in common is of more than one.
    assertThat(tasker("task", "submit", "testing/" + name, "--set", "n=8").status()).isZero();
    assertThat(tasker("task", "get", task.substring(0, 4)).err())
        .contains("More than one task begins with", "give more of it");
    assertThat(tasker("task", "graph", task).out())
        .isEqualTo("✔  first   complete\n✔  second  complete\n");
    assertThat(tasker("step", "get", task, "second", "-o", "yaml").out())
        .contains("state: complete");
    assertThat(tasker("task", "history", task).out()).contains("evaluating_results");
  }

  @Test
  void template_is_measured_and_every_task_of_it_ends() throws IOException {
    String name = "bench_" + UUID.randomUUID().toString().substring(0, 8);
    // The same context each time, which would be one task but for the keys.
    Path template = Files.writeString(home.resolve("bench.yaml"), """
        name: %s
        namespace_name: testing
        version: "1.0.0"
        steps:
          - {name: first, handler: {callable: testing.Echo}}
        """.formatted(name));
    assertThat(tasker("template", "register", template.toString()).status()).isZero();

    Run run = tasker("bench", "testing/" + name, "--set", "n=7", "--tasks", "40", "--connections",
        "4", "-o", "json");

    assertThat(run.status()).as(run.err() + run.out()).isZero();
    JsonObject measured = json(run);
    assertThat(measured.getJsonObject("ends").getInt("complete")).isEqualTo(40);
    assertThat(measured.getJsonNumber("tasks_per_second").doubleValue()).isPositive();
    assertThat(json(tasker("task", "count", "--name", name, "-o", "json")).getJsonObject("by_state")
        .getInt("complete")).isEqualTo(40);
    assertThat(tasker("bench", "testing/no_such_template", "--tasks", "5")).satisfies(refused -> {
      assertThat(refused.status()).isEqualTo(3);
      assertThat(refused.err()).contains("unknown-template");
    });
  }

  @Test
  void failed_task_is_seen_retried_and_cancelled() {
    Run failed = tasker("task", "submit", "testing/findable_fail", "--set", "order_id=\"cli\"",
        "--wait", "30", "-o", "json");
    assertThat(failed.status()).as(failed.err()).isEqualTo(10);
    String task = json(failed).getString("task_uuid");

    assertThat(tasker("task", "diagnosis", task).out()).contains("failing", "failed permanently");
    assertThat(tasker("task", "why", "--last").out())
        .isEqualTo(tasker("task", "diagnosis", task).out());
    JsonObject error = json(tasker("step", "list", task, "-o", "json")).getJsonArray("steps")
        .getValuesAs(JsonObject.class).stream()
        .filter(step -> step.getString("state").equals("error")).findFirst().orElseThrow()
        .getJsonObject("error");
    assertThat(tasker("task", "get", task).out()).contains("WHY", "failed permanently",
        error.getString("message"));
    assertThat(tasker("task", "history", task).out())
        .contains(error.getString("type") + ": " + error.getString("message"));
    assertThat(tasker("dlq", "of-task", task).out()).contains("permanent_failure", "pending");
    assertThat(tasker("task", "retry", task, "-m", "once more", "--by", "ann").status()).isZero();
    assertThat(tasker("task", "wait", task, "--for", "30").status()).isEqualTo(10);
    assertThat(tasker("task", "history", task, "-o", "wide").out()).contains("once more", "ann");
    assertThat(tasker("task", "cancel", task, "-m", "no longer needed").out())
        .contains("cancelled");
    Run again = tasker("task", "retry", task, "-m", "too late");
    assertThat(again.status()).isEqualTo(4);
    assertThat(again.err()).contains("task-already-ended");
  }

  @Test
  void bulk_action_is_counted_first() {
    UUID correlation = UUID.randomUUID();
    String task = json(
        tasker("task", "submit", "testing/findable_fail", "--correlation-id",
            correlation.toString(), "--wait", "30", "-o", "json"))
        .getString("task_uuid");
    String[] filter = {"bulk", "cancel", "--correlation-id", correlation.toString(), "-m", "test"};

    Run dry = tasker(with(filter, "--dry-run", "-o", "json"));
    assertThat(json(dry).getInt("count")).isEqualTo(1);
    assertThat(json(tasker("task", "get", task, "-o", "json")).getString("state"))
        .isEqualTo("blocked_by_failures");
    assertThat(tasker(filter).status()).as("neither --dry-run nor --yes, and no terminal")
        .isEqualTo(2);

    assertThat(tasker("bulk", "run", json(dry).getString("token")).out())
        .containsPattern("outcome +done");
    assertThat(json(tasker("task", "get", task, "-o", "json")).getString("state"))
        .isEqualTo("cancelled");
  }

  @Test
  void an_assistant_reads_and_acts_after_a_preview() {
    String task = json(tasker("task", "submit", "testing/findable_fail", "--set",
        "order_id=\"mcp\"", "--wait", "30", "-o", "json"))
        .getString("task_uuid");
    String cancel = "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"name\": \"cancel_task\", "
        + "\"arguments\": {\"task_uuid\": \"" + task + "\", \"reason\": \"not wanted\"}}}\n";
    String diagnose = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"diagnose_task\", "
        + "\"arguments\": {\"task_uuid\": \"" + task + "\"}}}\n";

    Run reading = taskerWith(diagnose + cancel, "mcp");
    assertThat(reading.status()).as(reading.err()).isZero();
    assertThat(reading.out().lines().toList()).hasSize(2).first().asString()
        .contains("failed permanently");
    assertThat(reading.out()).contains("there is no tool cancel_task");

    Run preview = taskerWith(cancel, "mcp", "--allow-write");
    assertThat(preview.out()).contains("blocked_by_failures", "confirm");
    assertThat(json(tasker("task", "get", task, "-o", "json")).getString("state"))
        .isEqualTo("blocked_by_failures");
  }

  @Test
  void what_is_not_there_or_not_valid_has_a_status_of_its_own() {
    Run unknown = tasker("task", "get", "00000000-0000-7000-8000-000000000000");
    assertThat(unknown.status()).isEqualTo(3);
    assertThat(unknown.err()).isEqualTo(
        "tasker: Task not found: there is no task 00000000-0000-7000-8000-000000000000 (task-not-found)\n");

    Run invalid = tasker("task", "submit", "--request",
        "{\"namespace\":\"testing\",\"name\":7,\"contxt\":{}}");
    assertThat(invalid.status()).isEqualTo(5);
    assertThat(invalid.err()).contains("  name: must be a string of 1 to 64 ",
        "  contxt: unknown property");

    Run template = taskerWith("name: x\n", "template", "register", "-");
    assertThat(template.status()).isEqualTo(5);
    assertThat(template.err()).contains("invalid-template");
  }

  @Test
  void server_that_is_away_is_unreachable() {
    Run away = tasker("task", "list", "--url", "http://127.0.0.1:" + TestServer.freePort());

    assertThat(away.status()).isEqualTo(8);
    assertThat(away.err()).startsWith("tasker: Cannot reach http://127.0.0.1:")
        .doesNotContain("\tat ");
  }

  @Test
  void samples_are_run_and_compared_with_what_is_expected() {
    Run samples = tasker("samples",
        Path.of(System.getProperty("tasker.checkout"), "samples").toString(), "--only", "linear");

    assertThat(samples.status()).as(samples.out() + samples.err()).isZero();
    assertThat(samples.out()).contains("ok   linear").endsWith("3 cases, 3 as expected, 0 not\n");
  }

  @Test
  void the_first_steps_of_its_page_do_what_it_says() throws IOException {
    Path checkout = Path.of(System.getProperty("tasker.checkout"));
    List<String> commands = Readme.of(checkout.resolve("docs/cli.md")).blocks("First steps").get(0)
        .commands();
    assertThat(commands).hasSizeGreaterThanOrEqualTo(3);
    Path login = Files.createDirectories(home.resolve(".tasker")).resolve("login");
    Files.writeString(login,
        "user = \"" + Login.FOR_TESTS.name() + ":" + Login.FOR_TESTS.password() + "\"\n");
    environment.put("TASKER_URL", server.base().toString());

    for (String command : commands) {
      String[] words = command.replace(".tasker/login", login.toString())
          .replace("samples/", checkout.resolve("samples") + "/").split(" ");
      assertThat(words[0]).isEqualTo("tasker");
      Run run = tasker(Arrays.copyOfRange(words, 1, words.length));
      assertThat(run.status()).as(command + ": " + run.err()).isZero();
      if (command.endsWith("--watch")) {
        assertThat(run.out()).contains("step linear_step_4  enqueued_for_orchestration -> complete",
            "is complete");
      }
    }
  }

  @Test
  void promises_are_checked_in_the_database() {
    environment.put("TASKER_DB_PASSWORD", "tasker");
    String url = "jdbc:postgresql://127.0.0.1:" + server.count("select inet_server_port()")
        + "/tasker";

    Run check = tasker("check", "--db-url", url, "--since", "2099-01-01");

    assertThat(check.status()).as(check.out() + check.err()).isZero();
    assertThat(check.out()).contains("promises were kept", "moves are moves of the models");
    environment.put("TASKER_DB_PASSWORD", "wrong");
    assertThat(tasker("check", "--db-url", url).status()).isEqualTo(6);
  }

  @Test
  void every_list_of_a_server_can_be_printed() {
    for (String command : List.of("server list", "server health", "worker list", "worker unserved",
        "queue list", "queue dead",
        "policy list", "retention show", "retention preview",
        "pauses", "dlq list", "dlq queue", "dlq stats", "dlq staleness", "analytics health",
        "analytics performance",
        "analytics bottlenecks", "analytics timeline", "task count", "task failures", "view list",
        "user list", "key list",
        "grant roles", "audit --limit 3", "handlers", "template list", "metrics", "openapi")) {
      Run run = tasker(command.split(" "));
      assertThat(run.status()).as(command + ": " + run.err()).isZero();
      assertThat(run.out()).as(command).isNotBlank();
    }
  }

  @Test
  void archive_of_classes_is_made_once_and_changes_nothing() {
    environment.remove("TASKER_CDS");

    Run first = tasker("--version");
    Run second = tasker("--version");

    assertThat(first.status()).isZero();
    assertThat(second.out()).isEqualTo(first.out()).startsWith("tasker ");
    assertThat(second.err()).isEmpty();
    assertThat(home.resolve("cache/tasker")).isDirectoryContaining("glob:**/tasker-*.jsa");
  }

  private static String[] with(String[] words, String... more) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static JsonObject json(Run run) {
    try (JsonReader reader = Json.createReader(new StringReader(run.out()))) {
      return reader.readObject();
    }
  }

  private Run tasker(String... arguments) {
    return taskerWith("", arguments);
  }

  private Run taskerWith(String input, String... arguments) {
    List<String> command = new ArrayList<>(List.of("sh", SCRIPT.toString()));
    command.addAll(List.of(arguments));
    try {
      Path out = Files.createTempFile(home, "out", ".txt");
      Path err = Files.createTempFile(home, "err", ".txt");
      ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile())
          .redirectError(err.toFile());
      builder.environment().keySet()
          .removeIf(name -> name.startsWith("TASKER_") || name.equals("JAVA_TOOL_OPTIONS"));
      builder.environment().putAll(environment);
      Process process = builder.start();
      try (var typed = process.outputWriter()) {
        typed.write(input);
      } catch (IOException e) {
        // It has ended without reading.
      }
      if (!process.waitFor(90, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("still running: " + command);
      }
      return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
