package ee.tasker.samples;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Posts the requests of the samples to a running server, waits until each task is terminal or
 * blocked, and compares. It
 * posts all requests before it waits for the first, so that the tasks run concurrently. The command
 * line has it as
 * {@code tasker samples}; {@code samples/run} and tests use it as well. Needs the JDK and JSON-P.
 */
public final class SampleRunner {
  private static final Set<String> TERMINAL_OR_BLOCKED = Set.of("complete", "error", "cancelled",
      "resolved_manually",
      "blocked_by_failures");
  private static final int WAIT_SECONDS = 10;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(WAIT_SECONDS + 20);
  private static final Duration REST_WITHIN = Duration.ofSeconds(60);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

  private final Server server;
  private final Path folder;
  private final boolean isRegistering;

  /** Where the requests go. */
  public interface Server {
    /**
     * @param path from {@code /v1} on, with its query
     * @param type of the body; null without one
     */
    Answer send(String method, String path, String type, String body)
        throws IOException, InterruptedException;
  }

  /** The result of one case; {@code ok} when there are no differences. */
  public record Outcome(String sample, String caseName, boolean ok, List<String> differences) {
    static Outcome of(SampleCase sampleCase, List<String> differences) {
      return new Outcome(sampleCase.sample(), sampleCase.name(), differences.isEmpty(),
          List.copyOf(differences));
    }
  }

  /**
   * @param base          the address before {@code /v1}, for instance {@code http://localhost:9080}
   * @param folder        the folder of the samples
   * @param isRegistering whether to register each template first; registering the same template
   *   again changes nothing
   * @param authorization the Authorization header; null for none
   */
  public SampleRunner(URI base, Path folder, boolean isRegistering, String authorization) {
    this(new HttpServer(base, authorization), folder, isRegistering);
  }

  public SampleRunner(Server server, Path folder, boolean isRegistering) {
    this.server = server;
    this.folder = folder;
    this.isRegistering = isRegistering;
  }

  /** Prints a line per case; the exit status is 0 when all match, 1 otherwise. */
  public static void main(String[] args) throws IOException, InterruptedException {
    URI base = URI.create(
        args.length > 0 ? args[0] : System.getProperty("base.url", "http://localhost:9080"));
    Path folder = Path.of(args.length > 1 ? args[1] : System.getProperty("samples.dir", "samples"));
    boolean isRegistering = Boolean.parseBoolean(System.getProperty("samples.register", "true"));
    String only = System.getProperty("samples.only", "");
    List<Outcome> outcomes = new SampleRunner(base, folder, isRegistering, authorization())
        .run(sample -> only.isEmpty() || only.equals(sample));
    System.exit(report(outcomes, System.out) ? 0 : 1);
  }

  /**
   * Prints a line per case, its differences, and a summary. @return whether there are cases, and
   * all are as expected
   */
  public static boolean report(List<Outcome> outcomes, PrintStream out) {
    for (Outcome outcome : outcomes) {
      out.printf(Locale.ROOT, "%-4s %s%s%n", outcome.ok() ? "ok" : "FAIL", outcome.sample(),
          outcome.caseName().isEmpty() ? "" : " / " + outcome.caseName());
      outcome.differences().forEach(difference -> out.println("       " + difference));
    }
    long failed = outcomes.stream().filter(outcome -> !outcome.ok()).count();
    out.printf(Locale.ROOT, "%d cases, %d as expected, %d not%n", outcomes.size(),
        outcomes.size() - failed, failed);
    return failed == 0 && !outcomes.isEmpty();
  }

  /**
   * From {@code TASKER_USER} and {@code TASKER_PASSWORD}, or from the run command's file {@code
   * .tasker/login}.
   */
  private static String authorization() throws IOException {
    Path login = Path.of(System.getProperty("login.file", ".tasker/login"));
    String user = System.getenv("TASKER_USER");
    String pair = null;
    if (user != null) {
      pair = user + ":" + System.getenv().getOrDefault("TASKER_PASSWORD", "");
    } else if (Files.isReadable(login)) {
      pair = Files.readAllLines(login).stream().filter(line -> line.startsWith("user = \""))
          .findFirst()
          .map(line -> line.substring(8, line.length() - 1)).orElse(null);
    }
    return pair == null ? null
        : "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  public List<Outcome> run() throws IOException, InterruptedException {
    return run(sample -> true);
  }

  /** @param samples selects samples by the name of their folder */
  public List<Outcome> run(Predicate<String> samples) throws IOException, InterruptedException {
    List<SampleCase> cases = SampleCase.in(folder).stream()
        .filter(each -> samples.test(each.sample())).toList();
    if (isRegistering) {
      registerTemplates(cases);
    }
    Map<SampleCase, Answer> submitted = new LinkedHashMap<>();
    for (SampleCase each : cases) {
      submitted.put(each, post("/v1/tasks", each.request()));
    }
    Map<SampleCase, String> signalTroubles = sendSignals(submitted);
    List<Outcome> outcomes = new ArrayList<>();
    for (Map.Entry<SampleCase, Answer> each : submitted.entrySet()) {
      String trouble = signalTroubles.get(each.getKey());
      outcomes.add(Outcome.of(each.getKey(), trouble == null
          ? differencesOrTrouble(each.getKey(), each.getValue()) : List.of(trouble)));
    }
    return List.copyOf(outcomes);
  }

  /** A signal that is to be sent as soon as a step waits for it. */
  private record DueSignal(SampleCase sampleCase, String taskUuid, String step, JsonObject signal) {
  }

  /**
   * Sends every signal when its step waits, before any task is waited for: steps have time-outs.
   *
   * @return a sentence for each case whose signal could not be sent
   */
  private Map<SampleCase, String> sendSignals(Map<SampleCase, Answer> submitted)
      throws InterruptedException {
    Map<SampleCase, String> troubles = new LinkedHashMap<>();
    List<DueSignal> due = new ArrayList<>();
    for (Map.Entry<SampleCase, Answer> each : submitted.entrySet()) {
      if (each.getKey().expected().containsKey("signals") && each.getValue().isSuccess()) {
        try {
          String taskUuid = each.getValue().object().getString("task_uuid", "");
          each.getKey().expected().getJsonObject("signals")
              .forEach((step, signal) -> due
                  .add(new DueSignal(each.getKey(), taskUuid, step, signal.asJsonObject())));
        } catch (IOException e) {
          troubles.put(each.getKey(), e.getMessage());
        }
      }
    }
    long deadline = System.nanoTime() + REST_WITHIN.toNanos();
    while (true) {
      for (DueSignal each : List.copyOf(due)) {
        try {
          if (isWaiting(each.taskUuid(), each.step())) {
            due.remove(each);
            sendSignal(each).ifPresent(trouble -> troubles.put(each.sampleCase(), trouble));
          }
        } catch (IOException e) {
          due.remove(each);
          troubles.put(each.sampleCase(), e.getMessage());
        }
      }
      if (due.isEmpty() || System.nanoTime() > deadline) {
        break;
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    }
    due.forEach(each -> troubles.put(each.sampleCase(),
        "signal of " + each.step() + ": the step has not waited for it"));
    return troubles;
  }

  private boolean isWaiting(String taskUuid, String step) throws IOException, InterruptedException {
    return get("/v1/tasks/" + taskUuid + "/diagnosis").object().getJsonArray("waiting")
        .getValuesAs(JsonObject.class).stream()
        .anyMatch(each -> step.equals(each.getString("name", ""))
            && "signal".equals(each.getString("cause", "")));
  }

  /** The body is what the case says, without the name. */
  private Optional<String> sendSignal(DueSignal due) throws IOException, InterruptedException {
    Answer answer = post(
        "/v1/tasks/" + due.taskUuid() + "/signals/" + due.signal().getString("name"),
        Json.createObjectBuilder(due.signal()).remove("name").build());
    return answer.isSuccess() ? Optional.empty()
        : Optional.of("signal of " + due.step() + ": " + answer);
  }

  /** All templates, not only those of the cases: one sample starts tasks of another. */
  private void registerTemplates(List<SampleCase> cases) throws IOException, InterruptedException {
    Set<Path> templates = new TreeSet<>();
    SampleCase.in(folder).forEach(each -> templates.add(each.template()));
    for (Path template : cases.isEmpty() ? Set.<Path>of() : templates) {
      Answer answer = server.send("POST", "/v1/templates", "application/yaml",
          Files.readString(template));
      if (!answer.isSuccess()) {
        throw new IOException("the server refused " + template + ": " + answer);
      }
    }
  }

  /** A nonsensical answer in one case must not hide the results of the others. */
  private List<String> differencesOrTrouble(SampleCase sampleCase, Answer submission)
      throws InterruptedException {
    try {
      return differences(sampleCase, submission);
    } catch (IOException e) {
      return List.of(e.getMessage());
    }
  }

  private List<String> differences(SampleCase sampleCase, Answer submission)
      throws IOException, InterruptedException {
    boolean isKnownDuplicate = submission.status() == 409 && sampleCase.isStrict();
    if (!submission.isSuccess() && !isKnownDuplicate) {
      return List.of("submission: expected a task, but was " + submission);
    }
    String taskUuid = submission.object().getString("task_uuid", "");
    if (taskUuid.isEmpty()) {
      return List.of("submission: expected a task_uuid, but was " + submission);
    }
    return differences(sampleCase.expected(), taskUuid);
  }

  private List<String> differences(JsonObject expected, String taskUuid)
      throws IOException, InterruptedException {
    if (expected.containsKey("decisions")) {
      for (Map.Entry<String, JsonValue> each : expected.getJsonObject("decisions").entrySet()) {
        Optional<String> trouble = decide(taskUuid, each.getKey(), each.getValue().asJsonObject());
        if (trouble.isPresent()) {
          return List.of("decision of " + each.getKey() + ": " + trouble.get());
        }
      }
    }
    JsonObject task = awaitTerminalOrBlocked(taskUuid);
    JsonArray steps = get("/v1/tasks/" + taskUuid + "/workflow_steps").object()
        .getJsonArray("steps");
    List<String> differences = new ArrayList<>(
        Expectation.differences(expected, task.getString("state", ""), steps));
    if (expected.containsKey("output")) {
      differences.addAll(Expectation.outputDifferences(expected, task));
    }
    if (expected.containsKey("started_tasks")) {
      for (Map.Entry<String, JsonValue> each : expected.getJsonObject("started_tasks").entrySet()) {
        startedTask(each.getKey(), each.getValue().asJsonObject(), task, steps)
            .forEach(difference -> differences
                .add("task started by " + each.getKey() + ": " + difference));
      }
    }
    return differences;
  }

  /** Decides the approval of a step as soon as it is asked for. */
  private Optional<String> decide(String taskUuid, String step, JsonObject decision)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + REST_WITHIN.toNanos();
    while (System.nanoTime() < deadline) {
      Optional<String> approval = get("/v1/approvals?task_uuid=" + taskUuid).object()
          .getJsonArray("approvals")
          .getValuesAs(JsonObject.class).stream()
          .filter(each -> each.getString("step").equals(step))
          .map(each -> each.getString("approval_uuid")).findFirst();
      if (approval.isPresent()) {
        Answer answer = post("/v1/approvals/" + approval.get() + "/decide", decision);
        return answer.isSuccess() ? Optional.empty() : Optional.of(answer.toString());
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    }
    return Optional.of("the step has not asked for it");
  }

  private List<String> startedTask(String stepName, JsonObject started, JsonObject parent,
      JsonArray steps)
      throws IOException, InterruptedException {
    String taskUuid = Expectation.step(steps, stepName)
        .filter(step -> step.get("result") instanceof JsonObject)
        .map(step -> step.getJsonObject("result").getString(started.getString("task_uuid_field"),
            ""))
        .orElse("");
    if (taskUuid.isEmpty()) {
      return List.of("the step has no " + started.getString("task_uuid_field") + " in its result");
    }
    List<String> differences = new ArrayList<>(
        differences(started.getJsonObject("expected"), taskUuid));
    JsonObject task = get("/v1/tasks/" + taskUuid).object();
    String expected = parent.getString("correlation_id", "");
    String actual = task.getString("parent_correlation_id", "");
    if (!expected.equals(actual)) {
      differences.add("parent_correlation_id: expected " + expected + ", but was " + actual);
    }
    return differences;
  }

  /** The task once it is terminal or blocked, or its current state when the time is up. */
  private JsonObject awaitTerminalOrBlocked(String taskUuid)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + REST_WITHIN.toNanos();
    while (true) {
      JsonObject task = get("/v1/tasks/" + taskUuid + "?wait=" + WAIT_SECONDS).object();
      if (TERMINAL_OR_BLOCKED.contains(task.getString("state", ""))
          || System.nanoTime() > deadline) {
        return get("/v1/tasks/" + taskUuid).object();
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    }
  }

  private Answer get(String path) throws IOException, InterruptedException {
    return server.send("GET", path, null, null);
  }

  private Answer post(String path, JsonObject body) throws IOException, InterruptedException {
    return server.send("POST", path, "application/json", body.toString());
  }

  /** With the HTTP client of the JDK. */
  private record HttpServer(HttpClient http, URI base, String authorization) implements Server {
    HttpServer(URI base, String authorization) {
      this(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10)).build(), base, authorization);
    }

    @Override
    public Answer send(String method, String path, String type, String body)
        throws IOException, InterruptedException {
      HttpRequest.Builder request = HttpRequest
          .newBuilder(URI.create(base.toString().replaceAll("/+$", "") + path))
          .timeout(ANSWER_WITHIN)
          .header("Accept", "application/json")
          .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(body));
      if (type != null) {
        request.header("Content-Type", type);
      }
      if (authorization != null) {
        request.header("Authorization", authorization);
      }
      HttpRequest built = request.build();
      HttpResponse<String> response = http.send(built, HttpResponse.BodyHandlers.ofString());
      return new Answer(method + " " + built.uri(), response.statusCode(), response.body());
    }
  }

  /** @param request as messages name it */
  public record Answer(String request, int status, String body) {

    boolean isSuccess() {
      return status / 100 == 2;
    }

    JsonObject object() throws IOException {
      if (json() instanceof JsonObject object) {
        return object;
      }
      throw new IOException("expected a JSON object: " + this);
    }

    private JsonValue json() throws IOException {
      try (JsonReader reader = Json.createReader(new StringReader(body))) {
        return reader.readValue();
      } catch (RuntimeException e) {
        throw new IOException("expected JSON: " + this, e);
      }
    }
  }
}
