package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.Program;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is shipped below {@code deploy} for Prometheus and Grafana, tried by Prometheus itself: a
 * real one scrapes the server with the shipped configuration.
 */
@Tag("long")
@AgainstServer
class PrometheusIT {
  private static final Path SHIPPED = Path.of("deploy/prometheus");
  private static final Path DASHBOARD = Path.of("deploy/grafana/tasker-ee.json");
  private static final Pattern METRIC = Pattern.compile(
      "(?<![\\w:\"])(?:tasker|jvm|process|namespace_template\\w*)[\\w:]*(?=[\\[{) ]|$)");

  private final TaskerClient tasker;
  private final TestServer server;

  PrometheusIT(TaskerClient tasker, TestServer server) {
    this.tasker = tasker;
    this.server = server;
  }

  @Test
  void rules_are_valid_and_raise_what_they_say_and_names_keep_the_conventions(
      @TempDir Path folder) throws IOException {
    Program.PROMTOOL.require();
    ranSomeTasks();

    assertThat(promtool("check", "config", "prometheus.yaml")).contains("SUCCESS")
        .doesNotContain("FAILED");
    assertThat(promtool("check", "rules", "recording.yaml", "alerts.yaml"))
        .contains("SUCCESS: 11 rules found", "SUCCESS: 23 rules found");
    assertThat(promtool("test", "rules", "rules-test.yaml")).contains("SUCCESS")
        .doesNotContain("FAILED");

    Path scrape = Files.writeString(folder.resolve("scrape"), tasker.get("/metrics").body());
    Process lint = new ProcessBuilder(Program.PROMTOOL.command(), "check", "metrics")
        .redirectInput(scrape.toFile()).redirectErrorStream(true).start();
    assertThat(new String(lint.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void each_expression_reads_what_a_server_gives_to_a_prometheus_that_scrapes_it(
      @TempDir Path folder) throws Exception {
    Program.PROMETHEUS.require();
    ranSomeTasks();
    int port = TestServer.freePort();
    Process prometheus = prometheus(folder, port);
    try {
      URI api = URI.create("http://127.0.0.1:" + port + "/api/v1/");
      TaskerClient.until("both jobs were scraped", Duration.ofSeconds(60),
          () -> values(api, "count by (job) (up{job=~\"tasker-.*\"} == 1)").size() == 2);
      tasker.awaitTerminalOrBlocked(
          tasker.submit("hello", "{\"who\": \"" + UUID.randomUUID() + "\"}"));
      TaskerClient.until("the rules saw it", Duration.ofSeconds(60), () -> {
        tasker.sql("select tasker.roll_up_analytics()");
        return !values(api, "namespace_template:tasker_step_failures:ratio_rate5m").isEmpty()
            && !values(api, "tasker:tasker_database_call_duration_seconds:p99_5m").isEmpty();
      });

      Set<String> names = get(api.resolve("label/__name__/values")).getJsonArray("data")
          .getValuesAs(JsonString.class).stream().map(JsonString::getString)
          .collect(Collectors.toSet());
      JsonArray groups = get(api.resolve("rules")).getJsonObject("data").getJsonArray("groups");
      List<JsonObject> rules = groups.getValuesAs(JsonObject.class).stream()
          .flatMap(group -> group.getJsonArray("rules").getValuesAs(JsonObject.class).stream())
          .toList();
      assertThat(rules).hasSize(34)
          .allSatisfy(rule -> assertThat(rule.getString("health")).as(rule.toString())
              .isEqualTo("ok"));
      List<String> expressions = new ArrayList<>(
          rules.stream().map(rule -> rule.getString("query")).toList());
      List<String> shown = expressionsOfTheDashboard();
      expressions.addAll(shown);
      Set<String> read = new TreeSet<>();
      expressions.forEach(expression -> METRIC.matcher(expression).results()
          .map(MatchResult::group).forEach(read::add));
      assertThat(read).hasSizeGreaterThan(30).isSubsetOf(allowing(names));
      for (String expression : shown) {
        assertThat(get(api.resolve("query?query=" + encoded(expression))).getString("status"))
            .as(expression).isEqualTo("success");
      }
      // What is there for each server that works.
      assertThat(shown.stream().filter(expression -> values(api, expression).isEmpty())).isEmpty();
      assertThat(get(api.resolve("alerts")).getJsonObject("data").getJsonArray("alerts")
          .getValuesAs(JsonObject.class).stream()
          .map(alert -> alert.getJsonObject("labels").getString("alertname")))
          .doesNotContain("TaskerServerDown", "TaskerDatabaseDown", "TaskerNoServer");
      assertThat(values(api, "max by (state) (tasker_tasks_ended_total{namespace=\"testing\","
          + " template=\"hello\"})")).isNotEmpty();
      assertThat(values(api, "{__name__=~\"tasker_worker_.*\", job=\"tasker-system\"}")).isEmpty();
      assertThat(values(api, "{__name__=~\"tasker_tasks|tasker_task_duration_seconds_count\","
          + " job=\"tasker-servers\"}")).isEmpty();
    } finally {
      prometheus.destroy();
      assertThat(prometheus.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** A metric that only some have, such as webhooks' consumers, has no series without them. */
  private static Set<String> allowing(Set<String> names) {
    Set<String> all = new HashSet<>(names);
    all.add("tasker_event_consumer_waiting_seconds");
    return all;
  }

  private void ranSomeTasks() {
    tasker.register("/testing/templates.yaml");
    tasker.awaitTerminalOrBlocked(tasker.submit("hello", "{}"));
    tasker.sql("select tasker.roll_up_analytics()");
    TaskerClient.until("the task is in the metrics", Duration.ofSeconds(60), () -> {
      tasker.sql("select tasker.roll_up_analytics()");
      return tasker.get("/metrics?of=system").body().contains("\ntasker_tasks_ended_total{");
    });
  }

  /** With the shipped files, but for addresses, the password and how often. */
  private Process prometheus(Path folder, int port) throws IOException {
    for (String rules : List.of("recording.yaml", "alerts.yaml")) {
      Files.copy(SHIPPED.resolve(rules), folder.resolve(rules));
    }
    Files.writeString(folder.resolve("password"), Login.FOR_TESTS.password());
    String address = server.base().getHost() + ":" + server.base().getPort();
    Files.writeString(folder.resolve("prometheus.yaml"),
        Files.readString(SHIPPED.resolve("prometheus.yaml")).replace("interval: 15s",
            "interval: 1s").replace("username: prometheus",
                "username: "
                    + Login.FOR_TESTS.name())
            .replaceAll("\"tasker-1:8080\", \"tasker-2:8080\"|\"tasker:8080\"",
                "\"" + address + "\""));
    return new ProcessBuilder(Program.PROMETHEUS.command(),
        "--config.file=" + folder.resolve("prometheus.yaml"),
        "--storage.tsdb.path=" + folder.resolve("data"),
        "--web.listen-address=127.0.0.1:" + port).redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile()).start();
  }

  private static List<String> expressionsOfTheDashboard() throws IOException {
    JsonObject dashboard = Json.createReader(new StringReader(Files.readString(DASHBOARD)))
        .readObject();
    List<String> expressions = dashboard.getJsonArray("panels").getValuesAs(JsonObject.class)
        .stream()
        .flatMap(panel -> panel.getJsonArray("targets").getValuesAs(JsonObject.class).stream())
        .map(target -> target.getString("expr").replace("$__rate_interval", "1m")
            .replaceAll("\\$(namespace|template)", ".*"))
        .toList();
    assertThat(expressions).hasSizeGreaterThan(20);
    return expressions;
  }

  private static String promtool(String... arguments) {
    Program.Ended ended = Program.PROMTOOL.run(SHIPPED, Map.of(), List.of(arguments));
    assertThat(ended.status()).as(ended.output()).isZero();
    return ended.output();
  }

  private static List<JsonValue> values(URI api, String expression) {
    try {
      JsonObject answer = get(api.resolve("query?query=" + encoded(expression)));
      return answer.getJsonObject("data").getJsonArray("result");
    } catch (UncheckedIOException notYet) {
      return List.of();
    }
  }

  private static JsonObject get(URI uri) {
    try {
      HttpResponse<String> answer = HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        // It says so in a word while it starts.
        throw new IOException(answer.statusCode() + " " + answer.body());
      }
      return Json.createReader(new StringReader(answer.body())).readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String encoded(String expression) {
    return URLEncoder.encode(expression, StandardCharsets.UTF_8);
  }
}
