package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The worst that a namespace, "noisy", may send to the servers: numbers that PostgreSQL writes out
 * in full, expressions that read a list for each element of another, patterns that take exponential
 * time, requests with 60 000 unknown members. Each kind is sent again and again, to the servers in
 * turn, each time when the previous one was answered.
 */
final class Noise implements AutoCloseable {
  /** A regular expression for the kinds that are made; all of them by default. */
  private static final String KINDS = System.getProperty("neighbour.kinds", ".*");

  /** @param template the namespace's own; null when the servers refused it */
  private record Kind(String name, String template, Supplier<String> body) {
  }

  private final List<URI> servers;
  private final TaskerClient client;
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(5))
      .build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> made = new ArrayList<>();
  private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();
  private final AtomicReference<String> latestTask = new AtomicReference<>();
  private volatile boolean isOver;

  /** @param client registers its templates */
  Noise(List<URI> servers, TaskerClient client) {
    this.servers = servers;
    this.client = client;
  }

  Noise begin() {
    kinds().stream().filter(kind -> kind.name().matches(KINDS))
        .forEach(kind -> made.add(threads.submit(() -> make(kind))));
    return this;
  }

  /** Returns when the last request was answered. */
  void end() throws Exception {
    isOver = true;
    for (Future<?> each : made) {
      each.get(3, TimeUnit.MINUTES);
    }
  }

  /** How often each answer came, by kind and status. */
  Map<String, Integer> answers() {
    return answers;
  }

  /** Answers that say that the server failed, and not that it has no time. */
  List<String> faults() {
    return answers.keySet().stream().filter(answer -> answer.matches(".* 5(?!03).*")).toList();
  }

  Optional<String> latestTask() {
    return Optional.ofNullable(latestTask.get());
  }

  @Override
  public void close() {
    isOver = true;
    threads.shutdownNow();
  }

  private List<Kind> kinds() {
    String list = IntStream.range(0, 15_000).mapToObj(Integer::toString)
        .collect(Collectors.joining(",", "[", "]"));
    String shortList = IntStream.range(0, 900).mapToObj(Integer::toString)
        .collect(Collectors.joining(",", "[", "]"));
    String small = "{\"a\": " + shortList + ", \"b\": " + shortList + "}";
    String unknown = IntStream.range(0, 60_000).mapToObj(n -> "\"k" + n + "\": 0")
        .collect(Collectors.joining(", "));
    String numbers = "{\"a\": [" + "1e999,".repeat(160_000) + "1]}";
    String lists = "{\"a\": " + list + ", \"b\": " + list + "}";
    return List.of(
        new Kind("numbers", register("numbers", "", false), () -> task("numbers", numbers)),
        new Kind("nested filters",
            register("filters", decision("exists($.context.a[*] ? (@ == $.context.b[*] && @ < 0))"),
                false),
            () -> task("filters", lists)),
        new Kind("filters within their bound", "filters", () -> task("filters", small)),
        new Kind("a list in its own filter",
            register("own_list",
                decision("exists($.context.a[*] ? (@ == $.context.a[*] && @ < 0))"), true),
            () -> task("own_list", lists)),
        new Kind("lists that are compared",
            register("compared", decision("$.context.a < -$.context.b"), false),
            () -> task("compared", lists)),
        new Kind("patterns", register("patterns", """
            input_schema: {type: object, properties: {text: {type: string, pattern: "^(.*a){25}$"}}}
            """, true), () -> task("patterns", "{\"text\": \"" + "a".repeat(60) + "b\"}")),
        new Kind("patterns of blanks", register("blanks", """
            input_schema: {type: object, properties: {text: {type: string, pattern: "\\\\s+$"}}}
            """, true), () -> task("blanks", "{\"text\": \"" + " ".repeat(30_000) + "x\"}")),
        new Kind("unknown members of a context", register("strict", """
            input_schema: {type: object, additionalProperties: false, properties: {known: {type: integer}}}
            """, false), () -> task("strict", "{" + unknown + "}")),
        new Kind("unknown members of a request", "strict",
            () -> "{\"namespace\": \"noisy\", \"name\": \"strict\", \"initiator\": \"noise\", "
                + "\"source_system\": \"noise\", \"reason\": \"noise\", " + unknown + "}"));
  }

  /**
   * After a step with a handler, so that the rule is evaluated in the call that submits results.
   */
  private static String decision(String when) {
    return """
        steps:
          - {name: begin, handler: {callable: testing.Echo}}
          - name: route
            type: decision
            dependencies: [begin]
            rules:
              - {when: "%s", then: [said]}
            otherwise: [said]
          - {name: said, dependencies: [route], handler: {callable: testing.Echo}}
        """.formatted(when);
  }

  /**
   * @param mayBeRefused whether the servers may tell from the template alone, which is as good as a
   *   bound
   * @return null when they refuse it
   */
  private String register(String name, String more, boolean mayBeRefused) {
    String steps = more.contains("steps:") ? ""
        : "steps:\n  - {name: said, handler: {callable: testing.Echo}}\n";
    Answer answer = client
        .postTemplate("name: " + name
            + "\nnamespace_name: noisy\nversion: \"1.0.0\"\nidentity_strategy: always_unique\n"
            + more.stripIndent() + steps);
    answers.merge("template " + name + " " + answer.status(), 1, Integer::sum);
    boolean isRefused = mayBeRefused && (answer.status() == 400 || answer.status() == 422);
    assertThat(isRefused ? 201 : answer.status()).as(answer::body).isIn(200, 201);
    return isRefused ? null : name;
  }

  private static String task(String template, String context) {
    return TaskerClient.taskRequest("noisy", template, context);
  }

  private void make(Kind kind) {
    if (kind.template() == null) {
      return;
    }
    String body = kind.body().get();
    for (int turn = 0; !isOver; turn++) {
      try {
        HttpResponse<String> answer = http.send(
            HttpRequest.newBuilder(servers.get(turn % servers.size()).resolve("/v1/tasks"))
                .timeout(Duration.ofSeconds(120))
                .header("Authorization", Login.FOR_TESTS.basic())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(),
            HttpResponse.BodyHandlers.ofString());
        answers.merge(kind.name() + " " + answer.statusCode(), 1, Integer::sum);
        if (answer.statusCode() == 201) {
          String location = answer.headers().firstValue("Location").orElseThrow();
          latestTask.set(location.substring(location.lastIndexOf('/') + 1));
        } else {
          TaskerClient.pause(Duration.ofMillis(5));
        }
      } catch (IOException lost) {
        answers.merge(kind.name() + " " + lost.getClass().getSimpleName(), 1, Integer::sum);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
