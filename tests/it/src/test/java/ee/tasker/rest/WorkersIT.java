package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Programs outside the servers that run steps over HTTP. No server has the handlers of these
 * templates.
 */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkersIT {
  /** How many requests wait at a time: as many as a server admits. */
  private static final int IDLE = 1_000;
  private static final String ABSENT = "00000000-0000-7000-8000-000000000000";

  private final TestServer server;
  private final TaskerClient admin;
  private final TaskerClient ann;
  private final TaskerClient bob;
  private final List<UUID> tasks = new ArrayList<>();

  WorkersIT(TaskerClient admin, TestServer server) {
    this.admin = admin;
    this.server = server;
    this.ann = admin.asOneWhoMay(List.of("steps:work in remote"));
    this.bob = admin.asOneWhoMay(List.of("steps:work in remote"));
  }

  @BeforeAll
  void register_templates() {
    admin.register("/testing/workers.yaml");
    admin.register("/testing/templates.yaml");
  }

  @AfterAll
  void every_task_has_ended_and_the_history_is_as_promised() {
    tasks.forEach(admin::awaitTerminalOrBlocked);
    assertThat(History.broken(admin)).isEmpty();
    assertThat(admin.sql(
        "select invariant, violations, examples from tasker.check_history() where violations > 0"))
        .isEmpty();
  }

  // ---- a worker

  private record Worker(TaskerClient client, String uuid) {
    Answer ask(String what, String json) {
      return client.post("/v1/workers/" + uuid + "/" + what, quoted(json));
    }

    CompletableFuture<Answer> later(String json) {
      return client.sendLater(client.request("/v1/workers/" + uuid + "/claims")
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(quoted(json))));
    }

    List<JsonObject> claim(int max, int seconds) {
      Answer answer = ask("claims", "{'max': " + max + ", 'wait_seconds': " + seconds + "}");
      assertThat(answer.status()).as("%s", answer).isEqualTo(200);
      return answer.list("steps");
    }

    Answer submit(String claims, String... results) {
      return ask("results", "{'results': [" + String.join(",", results) + "]"
          + (claims == null ? "" : ", 'claims': " + claims) + "}");
    }

    Answer beat(JsonObject... running) {
      return ask("heartbeat",
          "{'steps': ["
              + String.join(",",
                  Stream.of(running).map(WorkersIT::named).map(each -> each + "}").toList())
              + "]}");
    }
  }

  private static String named(JsonObject step) {
    return "{'step_uuid': '" + step.getString("step_uuid") + "', 'handoff': "
        + step.getInt("handoff");
  }

  private static String success(JsonObject step, String result) {
    return named(step) + ", 'outcome': 'success', 'result': " + result
        + ", 'execution_time_ms': 5}";
  }

  private static String gone(JsonObject step, String outcome) {
    return named(step) + ", 'outcome': '" + outcome + "'}";
  }

  private Worker worker(TaskerClient client, int capacity, String... handlers) {
    return worker(client, capacity, 300, handlers);
  }

  private Worker worker(TaskerClient client, int capacity, int heartbeatSeconds,
      String... handlers) {
    Answer answer = client.post("/v1/workers",
        quoted("{'name': 'a test', 'namespaces': ['remote'], 'capacity': " + capacity
            + ", 'heartbeat_seconds': " + heartbeatSeconds + ", 'handlers': ['"
            + String.join("', '", handlers) + "']}"));
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    assertThat(answer.header("Location")).isEqualTo("/v1/workers/" + answer.text("worker_uuid"));
    assertThat(answer.object().getInt("lease_seconds")).isPositive();
    return new Worker(client, answer.text("worker_uuid"));
  }

  private UUID submit(String template, String context) {
    UUID task = admin.submit("remote", template, context);
    tasks.add(task);
    return task;
  }

  private static List<String> verdicts(Answer answer) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
    return answer.list("verdicts").stream().map(each -> each.getString("verdict")).toList();
  }

  /** Leaves nothing for the next test. */
  private void drained(Worker worker) {
    TaskerClient.until("the worker has ended what it holds", Duration.ofSeconds(20), () -> {
      Answer answer = worker.client().delete("/v1/workers/" + worker.uuid());
      assertThat(answer.status()).as("%s", answer).isEqualTo(200);
      return "stopped".equals(answer.text("state"));
    });
  }

  // ---- the work

  @Test
  void workflow_whose_handlers_no_server_has_is_run_by_a_worker() {
    Worker worker = worker(ann, 5, "remote.First", "remote.Second");
    UUID task = submit("two_steps", "{\"a\": 1}");

    JsonObject first = worker.claim(10, 20).get(0);
    assertThat(first.getString("task_uuid")).isEqualTo(task.toString());
    assertThat(
        first.getString("name") + " " + first.getString("handler") + " " + first.getInt("attempt")
            + " " + first.getInt("timeout_seconds"))
        .isEqualTo("first remote.First 1 600");
    assertThat(first.getJsonObject("context").getInt("a")).isEqualTo(1);
    assertThat(first.getJsonObject("initialization").getInt("rate")).isEqualTo(3);
    assertThat(first.getString("idempotency_token")).isEqualTo(first.getString("step_uuid"));
    Answer answer = worker.submit("{'max': 1, 'request_id': 'next'}",
        success(first, "{'half': 2}"));
    assertThat(verdicts(answer)).containsExactly("accepted");
    JsonObject second = answer.list("steps").get(0);
    assertThat(second.getJsonObject("results").getJsonObject("first").getInt("half")).isEqualTo(2);
    assertThat(verdicts(worker.submit(null, success(second, "{'sum': 4}"))))
        .containsExactly("accepted");

    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(admin.steps(task).get("second").getJsonObject("result").getInt("sum")).isEqualTo(4);
    drained(worker);
  }

  @Test
  void two_workers_get_the_steps_of_their_own_handlers() {
    Worker one = worker(ann, 5, "remote.Only");
    Worker other = worker(bob, 5, "remote.Other");
    UUID ones = submit("one_step", "{}");
    UUID others = submit("other_step", "{}");

    JsonObject first = one.claim(10, 20).get(0);
    JsonObject second = other.claim(10, 20).get(0);

    assertThat(first.getString("task_uuid")).isEqualTo(ones.toString());
    assertThat(second.getString("task_uuid")).isEqualTo(others.toString());
    assertThat(one.claim(10, 0)).isEmpty();
    assertThat(verdicts(one.submit(null, success(second, "{}")))).as("of a step of the other")
        .containsExactly("stale");
    assertThat(verdicts(one.submit(null, success(first, "{}")))).containsExactly("accepted");
    assertThat(verdicts(other.submit(null, success(second, "{}")))).containsExactly("accepted");
    assertThat(verdicts(other.submit(null, success(second, "{}")))).containsExactly("already");
    drained(one);
    drained(other);
  }

  @Test
  void worker_that_dies_is_recovered_and_another_gets_its_step() {
    Worker mortal = worker(ann, 1, 1, "remote.Mortal");
    UUID task = submit("mortal_step", "{}");
    JsonObject lost = mortal.claim(1, 20).get(0);
    Worker heir = worker(bob, 1, "remote.Mortal");

    JsonObject found = heir.claim(1, 60).get(0);

    assertThat(found.getString("step_uuid") + " " + found.getInt("attempt"))
        .isEqualTo(lost.getString("step_uuid") + " 2");
    assertThat(mortal.beat(lost).object().getJsonArray("lost").getValuesAs(JsonString::getString))
        .containsExactly(lost.getString("step_uuid"));
    assertThat(verdicts(mortal.submit(null, success(lost, "{}")))).containsExactly("stale");
    assertThat(verdicts(heir.submit(null, success(found, "{}")))).containsExactly("accepted");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    drained(mortal);
    drained(heir);
  }

  @Test
  void waiting_request_gets_a_step_within_a_second_and_a_newer_one_ends_it() throws Exception {
    Worker worker = worker(ann, 5, "remote.Waited");
    CompletableFuture<Answer> older = worker.later("{'wait_seconds': 60}");
    TaskerClient.until("it waits", Duration.ofSeconds(20),
        () -> !older.isDone() && isKnown(worker));
    CompletableFuture<Answer> newer = worker.later("{'wait_seconds': 60, 'request_id': 'r'}");
    assertThat(older.get(20, TimeUnit.SECONDS).list("steps")).isEmpty();

    long begin = System.nanoTime();
    UUID task = submit("waited_step", "{}");
    List<JsonObject> steps = newer.get(20, TimeUnit.SECONDS).list("steps");

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
    assertThat(steps).extracting(step -> step.getString("task_uuid"))
        .containsExactly(task.toString());
    assertThat(worker.ask("claims", "{'max': 5, 'request_id': 'r'}").list("steps"))
        .as("the same request again")
        .extracting(step -> step.getString("step_uuid"))
        .containsExactly(steps.get(0).getString("step_uuid"));
    worker.submit(null, success(steps.get(0), "null"));
    drained(worker);
  }

  @Test
  void waiting_request_hears_of_steps_that_another_program_offers_by_sql() throws Exception {
    Worker worker = worker(ann, 5, "remote.Waited");
    CompletableFuture<Answer> waiting = worker.later("{'wait_seconds': 60}");
    TaskerClient.until("it waits", Duration.ofSeconds(20),
        () -> !waiting.isDone() && isKnown(worker));

    long begin = System.nanoTime();
    UUID task = (UUID) admin
        .value("select tasker.submit_task('remote', 'waited_step', '1.0.0', '{}'::jsonb)");
    tasks.add(task);
    List<JsonObject> steps = waiting.get(20, TimeUnit.SECONDS).list("steps");

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("by a notification of the database")
        .isLessThan(Duration.ofSeconds(2));
    assertThat(steps).extracting(step -> step.getString("task_uuid"))
        .containsExactly(task.toString());
    worker.submit(null, success(steps.get(0), "{}"));
    drained(worker);
  }

  private boolean isKnown(Worker worker) {
    return admin.get("/v1/workers/" + worker.uuid()).status() == 200;
  }

  /** Of the servers that this program has started; 0 where the system does not tell. */
  private static long threadsOfServers() {
    return ProcessHandle.current().descendants()
        .filter(each -> each.info().command().filter(name -> name.endsWith("java")).isPresent())
        .mapToLong(each -> {
          String[] threads = java.nio.file.Path.of("/proc", Long.toString(each.pid()), "task")
              .toFile().list();
          return threads == null ? 0 : threads.length;
        }).sum();
  }

  @Tag("long")
  @Test
  void requests_that_wait_cost_the_database_nothing() throws Exception {
    String commits = "select sum(xact_commit + xact_rollback) from pg_stat_database where datname = current_database()";
    long start = admin.count(commits);
    TaskerClient.pause(Duration.ofSeconds(5));
    long withoutRequests = admin.count(commits) - start;
    long threads = threadsOfServers();
    List<Worker> workers = IntStream.range(0, IDLE).parallel()
        .mapToObj(i -> worker(ann, 1, "remote.Counted")).toList();
    List<CompletableFuture<Answer>> waiting = workers.stream()
        .map(each -> each.later("{'wait_seconds': 60}")).toList();
    // Requests are looked at once when they arrive, and connections that are idle tell of their
    // transactions a little later.
    long withRequests = Long.MAX_VALUE;
    for (int window = 0; window < 8 && withRequests >= 2 * withoutRequests + 100; window++) {
      long before = admin.count(commits);
      TaskerClient.pause(Duration.ofSeconds(5));
      withRequests = admin.count(commits) - before;
    }
    System.out.printf(
        "transactions in 5 s: %d without requests that wait, %d with %d; threads: %d and %d%n",
        withoutRequests, withRequests, IDLE, threads, threadsOfServers());
    // If each polled once in ten seconds, there would be 500 more.
    assertThat(withRequests).as("by all servers, heartbeats included")
        .isLessThan(2 * withoutRequests + 100);
    assertThat(threadsOfServers()).as("no request has a thread").isLessThan(threads + IDLE / 4);

    long begin = System.nanoTime();
    UUID task = submit("counted_step", "{}");
    TaskerClient.until("one of them gets the step", Duration.ofSeconds(10),
        () -> waiting.stream().anyMatch(CompletableFuture::isDone));
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    int winner = IntStream.range(0, workers.size()).filter(i -> waiting.get(i).isDone()).findFirst()
        .orElseThrow();
    JsonObject step = waiting.get(winner).get().list("steps").get(0);
    assertThat(step.getString("task_uuid")).isEqualTo(task.toString());
    assertThat(waiting).filteredOn(CompletableFuture::isDone).hasSize(1);
    workers.get(winner).submit(null, success(step, "{}"));
    workers.parallelStream().forEach(this::drained);
    for (CompletableFuture<Answer> each : waiting) {
      assertThat(each.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
  }

  @Test
  void worker_that_asks_for_more_than_its_capacity_does_not_get_it() {
    Worker worker = worker(ann, 2, "remote.Only");
    List<UUID> five = IntStream.range(0, 5).mapToObj(i -> submit("one_step", "{}")).toList();

    List<JsonObject> steps = worker.claim(100, 20);
    while (steps.size() < 2) {
      steps = Stream.concat(steps.stream(), worker.claim(100, 20).stream()).toList();
    }
    assertThat(steps).hasSize(2);
    assertThat(worker.claim(100, 0)).isEmpty();
    assertThat(worker.claim(100, 1)).isEmpty();
    assertThat(admin.get("/v1/workers/" + worker.uuid()).object().getInt("claimed")).isEqualTo(2);

    int done = 0;
    for (; !steps.isEmpty(); done += 2) {
      assertThat(steps).hasSizeLessThanOrEqualTo(2);
      steps = worker.submit("{'max': 100}",
          steps.stream().map(step -> success(step, "{}")).toArray(String[]::new)).list("steps");
    }
    assertThat(done).as("two, two and one").isEqualTo(6);
    assertThat(five).allSatisfy(
        task -> assertThat(admin.get("/v1/tasks/" + task).text("state")).isEqualTo("complete"));
    drained(worker);
  }

  /** Whatever a test has left is done by another worker. */
  private void finish(String handler) {
    Worker last = worker(ann, 100, handler);
    for (List<JsonObject> rest = last.claim(100, 1); !rest.isEmpty(); rest = last.claim(100, 1)) {
      rest.forEach(step -> last.submit(null, success(step, "{}")));
    }
    drained(last);
  }

  @Test
  void a_decision_is_made_over_http_and_creates_its_steps() {
    String name = "decided_" + UUID.randomUUID().toString().substring(0, 8);
    assertThat(admin.postTemplate("""
        name: %s
        namespace_name: remote
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: a, handler: {callable: remote.Decided}}
          - {name: route, type: decision, dependencies: [a], handler: {callable: remote.Decided}}
          - {name: x, dependencies: [route], handler: {callable: remote.Decided}}
          - {name: y, dependencies: [route], handler: {callable: remote.Decided}}
        """.formatted(name)).status()).isEqualTo(201);
    Worker worker = worker(ann, 5, "remote.Decided");
    UUID task = submit(name, "{}");
    JsonObject route = worker.submit("{}", success(worker.claim(1, 20).get(0), "{}")).list("steps")
        .get(0);
    Answer misplaced = worker.submit(null,
        named(route)
            + ", 'outcome': 'permanent_failure', 'error': {'type': 'T', 'message': 'm'}, 'decision': ['x']}");
    assertThat(misplaced.status()).isEqualTo(400);
    assertThat(misplaced.fields()).containsExactly("results/0/decision");

    List<JsonObject> next = worker
        .submit("{}", named(route) + ", 'outcome': 'success', 'result': {}, 'decision': ['y']}")
        .list("steps");

    assertThat(next).singleElement()
        .satisfies(step -> assertThat(step.getString("name")).isEqualTo("y"));
    worker.submit(null, success(next.get(0), "{}"));
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(admin.steps(task).keySet()).containsExactlyInAnyOrder("a", "route", "y");
    drained(worker);
  }

  @Test
  void failures_results_that_do_not_fit_and_steps_that_are_given_back_are_told_apart() {
    Worker worker = worker(ann, 5, "remote.First", "remote.Second");
    UUID task = submit("two_steps", "{}");
    JsonObject first = worker.claim(1, 20).get(0);
    assertThat(verdicts(worker.submit(null, gone(first, "released")))).containsExactly("accepted");
    first = worker.claim(1, 20).get(0);
    assertThat(first.getInt("attempt") + " " + first.getInt("handoff")).as("not an attempt")
        .isEqualTo("1 2");
    assertThat(verdicts(worker.submit(null, named(first)
        + ", 'outcome': 'retryable_failure', 'error': {'type': 'Busy', 'message': 'later', 'details': {'a': 1}}, 'retry_after_ms': 100}")))
        .containsExactly("accepted");
    first = worker.claim(1, 20).get(0);
    assertThat(first.getInt("attempt")).isEqualTo(2);
    JsonObject second = worker.submit("{}", success(first, "1")).list("steps").get(0);

    JsonObject verdict = worker.submit(null, success(second, "{'sum': 'four'}")).list("verdicts")
        .get(0);

    assertThat(
        verdict.getString("verdict") + " " + verdict.getJsonObject("error").getString("type"))
        .isEqualTo("accepted result_schema_violation");
    assertThat(verdict.getJsonObject("error").getString("message")).startsWith("result/sum");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    drained(worker);
  }

  @Test
  void worker_that_lacks_a_handler_after_all_declines_and_is_not_asked_again() {
    Worker wrong = worker(ann, 5, "remote.Other");
    submit("other_step", "{}");
    JsonObject step = wrong.claim(1, 20).get(0);
    assertThat(verdicts(wrong.submit("{'max': 5}", gone(step, "declined"))))
        .containsExactly("accepted");
    assertThat(wrong.claim(1, 1)).isEmpty();
    Worker right = worker(bob, 5, "remote.Other");
    JsonObject again = right.claim(1, 20).get(0);
    assertThat(again.getString("step_uuid") + " " + again.getInt("attempt"))
        .isEqualTo(step.getString("step_uuid") + " 1");
    right.submit(null, success(again, "{}"));
    drained(wrong);
    drained(right);
  }

  @Test
  void heartbeat_tells_of_a_cancel_request_and_of_claims_that_it_does_not_name() {
    Worker worker = worker(ann, 5, "remote.Other");
    UUID task = submit("other_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);
    JsonObject unreported = worker.beat().object().getJsonArray("unreported").getJsonObject(0);
    assertThat(unreported.getString("step_uuid")).isEqualTo(step.getString("step_uuid"));
    assertThat(worker.beat(step).object().getJsonArray("cancels")).isEmpty();

    assertThat(admin.delete("/v1/tasks/" + task + "?policy=cancel_running&reason=test").status())
        .isEqualTo(200);
    JsonObject answer = worker.beat(step).object();

    assertThat(answer.getJsonArray("cancels").getJsonObject(0).getString("step_uuid"))
        .isEqualTo(step.getString("step_uuid"));
    assertThat(answer.getJsonArray("unreported")).isEmpty();
    assertThat(verdicts(worker.submit(null, gone(step, "cancelled")))).containsExactly("accepted");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
    drained(worker);
  }

  @Test
  void checkpoint_is_saved_while_the_step_runs_and_is_there_for_the_next_claim() {
    Worker worker = worker(ann, 1, "remote.Only");
    Worker other = worker(bob, 1, "remote.Only");
    UUID task = submit("one_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);
    String checkpoint = "{'checkpoints': [" + named(step) + ", 'checkpoint': {'row': %d}}]}";

    Answer saved = worker.ask("checkpoints", checkpoint.formatted(7));

    assertThat(verdicts(saved)).containsExactly("saved");
    assertThat(saved.object().getJsonArray("cancels")).isEmpty();
    assertThat(verdicts(other.ask("checkpoints", checkpoint.formatted(8)))).as("of another worker")
        .containsExactly("stale");
    Answer foreign = new Worker(bob, worker.uuid()).ask("checkpoints", checkpoint.formatted(9));
    assertThat(foreign.status() + " " + foreign.text("code")).isEqualTo("404 worker-not-found");
    worker.submit(null, gone(step, "released"));
    JsonObject again = worker.claim(1, 20).get(0);
    assertThat(again.getJsonObject("checkpoint").getInt("row")).isEqualTo(7);
    assertThat(verdicts(worker.ask("checkpoints", checkpoint.formatted(10))))
        .as("of the former handoff").containsExactly("stale");
    assertThat(admin.delete("/v1/tasks/" + task + "?policy=cancel_running&reason=test").status())
        .isEqualTo(200);
    Answer late = worker.ask("checkpoints",
        checkpoint.replace(named(step), named(again)).formatted(11));
    assertThat(late.object().getJsonArray("cancels").getJsonObject(0).getString("step_uuid"))
        .isEqualTo(step.getString("step_uuid"));
    worker.submit(null, gone(again, "cancelled"));
    drained(worker);
    drained(other);
  }

  @Test
  void a_step_that_yields_is_not_logged_as_failed() {
    Worker worker = worker(ann, 1, "remote.Only");
    submit("one_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);

    worker.submit(null, gone(step, "yielded"));
    JsonObject again = worker.claim(1, 20).get(0);
    worker.submit(null,
        named(again) + ", 'outcome': 'permanent_failure', 'error': {'type': 't', 'message': 'm'}}");

    TaskerClient.until("the failure is logged", Duration.ofSeconds(20),
        () -> failures(again).findAny().isPresent());
    assertThat(failures(again)).singleElement().asString().contains("outcome=permanent_failure");
    drained(worker);
  }

  private Stream<String> failures(JsonObject step) {
    return server.log().lines()
        .filter(line -> line.contains("TK1303") && line.contains(step.getString("step_uuid")));
  }

  @Test
  void checkpoint_that_is_too_long_is_refused_with_its_length() {
    Worker worker = worker(ann, 1, "remote.None");

    Answer answer = worker.ask("checkpoints",
        "{'checkpoints': [{'step_uuid': '" + ABSENT + "', 'handoff': 1, 'checkpoint': '"
            + "x".repeat(65_535) + "'}]}");

    assertThat(answer.status()).as("%s", answer).isEqualTo(400);
    assertThat(answer.fields()).containsExactly("checkpoints/0/checkpoint");
    assertThat(answer.text("detail")).contains("65537 bytes");
    drained(worker);
  }

  @Test
  void results_of_distant_ancestors_are_read_by_the_worker_that_holds_the_step_and_by_no_other() {
    String name = "far_" + UUID.randomUUID().toString().substring(0, 8);
    assertThat(admin.postTemplate("""
        name: %s
        namespace_name: remote
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: far, handler: {callable: remote.Far}}
          - {name: near, dependencies: [far], handler: {callable: remote.Far}}
          - {name: last, dependencies: [near], handler: {callable: remote.Far}}
        """.formatted(name)).status()).isEqualTo(201);
    Worker worker = worker(ann, 1, "remote.Far");
    Worker other = worker(bob, 1, "remote.Far");
    submit(name, "{}");
    JsonObject far = worker.claim(1, 20).get(0);
    JsonObject near = worker.submit("{}", success(far, "{'secret': 'of far'}")).list("steps")
        .get(0);
    JsonObject last = worker.submit("{}", success(near, "{'secret': 'of near'}")).list("steps")
        .get(0);
    String path = "/v1/workers/" + worker.uuid() + "/steps/" + last.getString("step_uuid")
        + "/results?name=";

    Answer found = ann.get(path + "far&name=near&name=last&name=none");

    assertThat(found.status()).as("%s", found).isEqualTo(200);
    assertThat(found.object().getJsonObject("results").keySet()).containsExactlyInAnyOrder("far",
        "near");
    assertThat(found.object().getJsonObject("results").getJsonObject("far").getString("secret"))
        .isEqualTo("of far");
    Answer before = ann.get("/v1/workers/" + worker.uuid() + "/steps/" + near.getString("step_uuid")
        + "/results?name=far");
    assertThat(before.status() + " " + before.text("code")).as("a step that has ended")
        .isEqualTo("404 step-not-claimed");
    Answer stolen = bob.get(path.replace(worker.uuid(), other.uuid()) + "far");
    assertThat(stolen.status() + " " + stolen.text("code")).as("by another worker")
        .isEqualTo("404 step-not-claimed");
    assertThat(stolen.body()).doesNotContain("of far");
    Answer foreign = bob.get(path + "far");
    assertThat(foreign.status() + " " + foreign.text("code")).as("by another caller")
        .isEqualTo("404 worker-not-found");
    assertThat(foreign.body()).doesNotContain("of far");
    for (String wrong : List.of("", "x".repeat(200), "%00", "a" + "&name=a".repeat(20),
        "a&limit=1")) {
      assertThat(ann.get(path + wrong).status()).as(wrong).isEqualTo(400);
    }
    assertThat(ann.get(path.replace("?name=", "")).status()).isEqualTo(400);
    worker.submit(null, success(last, "{}"));
    drained(worker);
    drained(other);
  }

  @Test
  void results_of_a_batch_are_read_by_page_by_the_worker_that_holds_the_step_which_follows() {
    String name = "pages_" + UUID.randomUUID().toString().substring(0, 8);
    assertThat(admin.postTemplate("""
        name: %s
        namespace_name: remote
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: cut, type: batchable, batch_config: {worker_template: load, items: "$.context.rows[*]"}}
          - {name: load, type: batch_worker, dependencies: [cut], handler: {callable: remote.Load}, batch_config: {worker_template: load}}
          - {name: report, dependencies: [load], handler: {callable: remote.Load}}
        """.formatted(name)).status()).isEqualTo(201);
    Worker worker = worker(ann, 9, "remote.Load");
    Worker other = worker(bob, 1, "remote.Load");
    submit(name, "{'rows': [1, 2, 3]}");
    for (int i = 0; i < 3; i++) {
      JsonObject load = worker.claim(1, 20).get(0);
      worker.submit(null, success(load, "{'secret': 'of " + load.getString("name") + "'}"));
    }
    JsonObject report = worker.claim(1, 20).get(0);
    String path = "/v1/workers/" + worker.uuid() + "/steps/" + report.getString("step_uuid")
        + "/batch-results?name=load";

    Answer first = ann.get(path + "&limit=2");
    assertThat(first.status()).as("%s", first).isEqualTo(200);
    assertThat(first.list("results")).extracting(each -> each.getString("batch_id"))
        .containsExactly("001", "002");
    Answer last = ann.get(path + "&limit=2&cursor=" + first.text("next"));
    assertThat(last.list("results")).singleElement()
        .satisfies(each -> assertThat(each.getJsonObject("result").getString("secret"))
            .isEqualTo("of load_003"));
    assertThat(last.object().isNull("next")).isTrue();
    Answer stolen = bob.get(path.replace(worker.uuid(), other.uuid()));
    assertThat(stolen.status() + " " + stolen.text("code")).as("by another worker")
        .isEqualTo("404 step-not-claimed");
    assertThat(bob.get(path).status()).as("by another caller").isEqualTo(404);
    for (String wrong : List.of("", "x".repeat(200), "cut", "load&limit=0", "load&limit=1001",
        "load&cursor=x", "load&name=load",
        "load&more=1")) {
      Answer refused = ann.get(path.replace("load", "") + wrong);
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.body()).doesNotContain("of load");
    }
    worker.submit(null, success(report, "{}"));
    drained(worker);
    drained(other);
  }

  @Test
  void caller_whose_permission_is_taken_away_reads_no_more_results() {
    TaskerClient caller = admin
        .asOneWhoMay(List.of("steps:work in remote", "steps:work in testing"));
    Worker worker = worker(caller, 1, "remote.Only");
    UUID task = submit("one_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);
    String path = "/v1/workers/" + worker.uuid() + "/steps/" + step.getString("step_uuid")
        + "/results?name=any";
    assertThat(caller.get(path).status()).isEqualTo(200);

    takeAwayRemote(caller, worker, step);

    Answer answer = caller.get(path);
    assertThat(answer.status() + " " + answer.text("code")).as("%s", answer)
        .isEqualTo("403 not-permitted");
    assertThat(caller.get(path.replace("/results", "/batch-results")).status())
        .as("nor those of a batch").isEqualTo(403);
    worker.submit(null, success(step, "{}"));
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    drained(worker);
  }

  @Test
  void drained_worker_ends_what_it_holds_and_gets_no_more() throws Exception {
    Worker worker = worker(ann, 5, "remote.Other");
    submit("other_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);
    CompletableFuture<Answer> waiting = worker.later("{'wait_seconds': 60}");
    Answer drained = ann.delete("/v1/workers/" + worker.uuid());
    assertThat(drained.text("state") + " " + drained.object().getInt("claimed"))
        .isEqualTo("draining 1");
    Answer ended = waiting.get(20, TimeUnit.SECONDS);
    assertThat(ended.status()).as("one that waited ends, one that comes later is refused").isIn(200,
        409);

    Answer refused = worker.ask("claims", "{}");
    assertThat(refused.status() + " " + refused.text("code") + " " + refused.text("state"))
        .isEqualTo("409 worker-not-claiming draining");
    assertThat(worker.beat(step).text("state")).isEqualTo("draining");
    assertThat(worker.submit("{'max': 1}", success(step, "{}")).text("state")).isEqualTo("stopped");
    assertThat(admin.get("/v1/workers/" + worker.uuid()).text("health")).isEqualTo("stopped");
  }

  // ---- who may

  @Test
  void worker_of_another_caller_does_not_exist() {
    Worker anns = worker(ann, 5, "remote.Only");
    Worker stolen = new Worker(bob, anns.uuid());
    Worker none = new Worker(bob, UUID.randomUUID().toString());
    String registration = "{'worker_uuid': '" + anns.uuid()
        + "', 'name': 'mine', 'namespaces': ['remote'], 'handlers': ['remote.Only'], 'capacity': 1}";
    String result = "{'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'outcome': 'success', 'result': 1}";

    for (Worker worker : List.of(stolen, none)) {
      for (Answer answer : List.of(worker.ask("claims", "{}"),
          worker.ask("claims", "{'wait_seconds': 60}"), worker.submit(null, result),
          worker.submit("{'max': 5}", result.replace("success', 'result': 1", "released'")),
          worker.beat(),
          bob.delete("/v1/workers/" + worker.uuid()))) {
        assertThat(answer.status() + " " + answer.text("code") + ": " + answer.text("detail"))
            .isEqualTo("404 worker-not-found: there is no worker " + worker.uuid());
      }
    }
    assertThat(bob.post("/v1/workers", quoted(registration)).text("code"))
        .isEqualTo("worker-of-another-caller");
    assertThat(bob.get("/v1/workers/" + anns.uuid()).status()).isEqualTo(403);
    assertThat(bob.get("/v1/workers").status()).isEqualTo(403);
    Answer again = ann.post("/v1/workers", quoted(registration));
    assertThat(again.status()).as("%s", again).isEqualTo(200);
    assertThat(admin.get("/v1/workers/" + anns.uuid()).text("name")).isEqualTo("mine");
    assertThat(admin.get("/v1/workers/" + anns.uuid()).text("registered_by"))
        .isEqualTo("key:of a test");
    assertThat(admin.delete("/v1/workers/" + anns.uuid()).text("state")).as("an operator")
        .isEqualTo("stopped");
  }

  @Test
  void every_namespace_of_a_worker_needs_the_permission() {
    String registration = "{'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': %s}";
    for (String namespaces : List.of("['remote', 'testing']", "['elsewhere']", "null")) {
      Answer answer = ann.post("/v1/workers", quoted(registration.formatted(namespaces)));
      assertThat(answer.status() + " " + answer.text("code")).as(namespaces)
          .isEqualTo("403 not-permitted");
      assertThat(answer.text("detail")).contains("steps:work");
    }
    TaskerClient reader = admin
        .asOneWhoMay(List.of("steps:read", "tasks:read", "system:servers_read"));
    assertThat(reader.post("/v1/workers", quoted(registration.formatted("['remote']"))).status())
        .isEqualTo(403);
    assertThat(reader.get("/v1/workers").status()).isEqualTo(200);
  }

  /** @param held steps whose leases are renewed meanwhile */
  private void takeAwayRemote(TaskerClient caller, Worker worker, JsonObject... held) {
    admin.sql(
        "delete from tasker.access_grants g using tasker.access_keys k where g.key_uuid = k.key_uuid and g.namespace = 'remote' "
            + "and 'key:' || k.key_uuid = (select w.owner from tasker.workers w where w.worker_uuid = ?)",
        UUID.fromString(worker.uuid()));
    // What a caller may do is remembered for a while.
    TaskerClient.until("the server has read the rights again", Duration.ofSeconds(60), () -> {
      assertThat(worker.beat(held).status()).isEqualTo(200);
      return !caller.get("/v1/me").body().contains("remote");
    });
  }

  @Test
  void caller_whose_permission_is_taken_away_gets_no_more_steps() {
    TaskerClient carl = admin.asOneWhoMay(List.of("steps:work in remote", "steps:work in testing"));
    Answer registered = carl.post("/v1/workers",
        quoted(
            "{'name': 'x', 'capacity': 1, 'handlers': ['remote.Other'], 'namespaces': ['remote', 'testing']}"));
    Worker worker = new Worker(carl, registered.text("worker_uuid"));
    submit("other_step", "{}");
    takeAwayRemote(carl, worker);

    assertThat(worker.claim(1, 1)).isEmpty();

    drained(worker);
    finish("remote.Other");
  }

  // ---- what is wrong

  @ParameterizedTest(name = "{1}: {0} {2}")
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
    "claims | max | {'max': 0}",
    "claims | max | {'max': 101}",
    "claims | max | {'max': 'all'}",
    "claims | wait_seconds | {'wait_seconds': 61}",
    "claims | wait_seconds | {'wait_seconds': -1}",
    "claims | request_id | {'request_id': ''}",
    "claims | request_id | {'request_id': 7}",
    "claims | handlers | {'handlers': ['a']}",
    "results | results | {}",
    "results | results | {'results': []}",
    "results | results | {'results': {}}",
    "results | results | {'results': [7]}",
    "results | results/0/step_uuid | {'results': [{'handoff': 1, 'outcome': 'released'}]}",
    "results | results/0/step_uuid | {'results': [{'step_uuid': 'x', 'handoff': 1, 'outcome': 'released'}]}",
    "results | results/0/handoff | {'results': [{'step_uuid': 'ABSENT', 'outcome': 'released'}]}",
    "results | results/0/handoff | {'results': [{'step_uuid': 'ABSENT', 'handoff': 0, 'outcome': 'released'}]}",
    "results | results/0/outcome | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1}]}",
    "results | results/0/outcome | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'done'}]}",
    "results | results/0/error | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'permanent_failure'}]}",
    "results | results/0/error/type | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'permanent_failure', 'error': {'message': 'm'}}]}",
    "results | results/0/error/code | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'permanent_failure', 'error': {'type': 't', 'message': 'm', 'code': 1}}]}",
    "results | results/0/error | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'success', 'error': {'type': 't', 'message': 'm'}}]}",
    "results | results/0/result | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'released', 'result': 1}]}",
    "results | results/0/result | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'success', 'result': 'a\\u0000b'}]}",
    "results | results/0/retry_after_ms | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'success', 'retry_after_ms': 1}]}",
    "results | results/0/checkpoint | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'success', 'checkpoint': 1}]}",
    "results | results/0/after_ms | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'success', 'after_ms': 1}]}",
    "results | results/0/after_ms | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'yielded', 'after_ms': -1}]}",
    "results | results/0/checkpoint | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'yielded', 'checkpoint': 'a\\u0000b'}]}",
    "results | results/0/result | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'yielded', 'result': 1}]}",
    "results | results/1/step_uuid | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'released'}, {'step_uuid': 'ABSENT', 'handoff': 2, 'outcome': 'released'}]}",
    "results | claims/max | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'released'}], 'claims': {'max': 0}}",
    "results | claims/wait_seconds | {'results': [{'step_uuid': 'ABSENT', 'handoff': 1, 'outcome': 'released'}], 'claims': {'wait_seconds': 1}}",
    "checkpoints | checkpoints | {}",
    "checkpoints | checkpoints | {'checkpoints': []}",
    "checkpoints | checkpoints | {'checkpoints': {}}",
    "checkpoints | checkpoints/0/step_uuid | {'checkpoints': [{'handoff': 1, 'checkpoint': 1}]}",
    "checkpoints | checkpoints/0/handoff | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 0, 'checkpoint': 1}]}",
    "checkpoints | checkpoints/0/checkpoint | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 1}]}",
    "checkpoints | checkpoints/0/checkpoint | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 1, 'checkpoint': null}]}",
    "checkpoints | checkpoints/0/checkpoint | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 1, 'checkpoint': 'a\\u0000b'}]}",
    "checkpoints | checkpoints/0/more | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 1, 'checkpoint': 1, 'more': 1}]}",
    "checkpoints | checkpoints/1/step_uuid | {'checkpoints': [{'step_uuid': 'ABSENT', 'handoff': 1, 'checkpoint': 1}, {'step_uuid': 'ABSENT', 'handoff': 1, 'checkpoint': 1}]}",
    "heartbeat | steps | {'steps': 7}",
    "heartbeat | steps/0/handoff | {'steps': [{'step_uuid': 'ABSENT'}]}",
    "heartbeat | steps/0/task_uuid | {'steps': [{'step_uuid': 'ABSENT', 'handoff': 1, 'task_uuid': 'ABSENT'}]}",
    "heartbeat | state | {'state': 'stopped'}"})
  void bad_input_is_refused_with_the_field(String what, String field, String body) {
    Worker worker = new Worker(ann, UUID.randomUUID().toString());
    Answer answer = worker.ask(what, body.replace("ABSENT", ABSENT));
    assertThat(answer.status() + " " + answer.text("code")).as("%s", answer)
        .isEqualTo("400 invalid-request");
    assertThat(answer.fields()).containsExactly(field);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
    "name | {'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote']}",
    "capacity | {'name': 'x', 'handlers': ['a'], 'namespaces': ['remote']}",
    "capacity | {'name': 'x', 'capacity': 10001, 'handlers': ['a'], 'namespaces': ['remote']}",
    "handlers | {'name': 'x', 'capacity': 1, 'namespaces': ['remote']}",
    "handlers | {'name': 'x', 'capacity': 1, 'handlers': [], 'namespaces': ['remote']}",
    "handlers | {'name': 'x', 'capacity': 1, 'handlers': [''], 'namespaces': ['remote']}",
    "handlers | {'name': 'x', 'capacity': 1, 'handlers': ['a\\u0000'], 'namespaces': ['remote']}",
    "namespaces | {'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': []}",
    "heartbeat_seconds | {'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote'], 'heartbeat_seconds': 0}",
    "worker_uuid | {'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote'], 'worker_uuid': 'mine'}",
    "language | {'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote'], 'language': 'cobol'}"})
  void bad_registration_is_refused_with_the_field(String field, String body) {
    long before = admin.count("select count(*) from tasker.workers");
    Answer answer = ann.post("/v1/workers", quoted(body));
    assertThat(answer.status() + " " + answer.text("code")).as("%s", answer)
        .isEqualTo("400 invalid-request");
    assertThat(answer.fields()).containsExactly(field);
    assertThat(admin.count("select count(*) from tasker.workers")).isEqualTo(before);
  }

  /** A claim that waits is answered, too: the roll-out may begin with the workers. */
  @Test
  void namespace_that_does_not_exist_yet_is_waited_for() throws Exception {
    String namespace = "remote" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    TaskerClient carl = admin.asOneWhoMay(List.of("steps:work in " + namespace));
    String registration = "{'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['%s']}";
    Answer registered = carl.post("/v1/workers", quoted(registration.formatted(namespace)));
    assertThat(registered.status()).as("%s", registered).isEqualTo(201);
    assertThat(registered.object().getJsonArray("missing_namespaces").toString())
        .isEqualTo("[\"" + namespace + "\"]");
    Worker worker = new Worker(carl, registered.text("worker_uuid"));
    CompletableFuture<Answer> waiting = worker.later("{'max': 1, 'wait_seconds': 60}");

    assertThat(admin.postTemplate("name: late\nnamespace_name: " + namespace
        + "\nversion: 1.0.0\nsteps:\n  - {name: a, handler: {callable: a}}\n").status())
        .isEqualTo(201);
    UUID task = admin.submit(namespace, "late", "{}");
    tasks.add(task);
    JsonObject step = waiting.get(30, TimeUnit.SECONDS).list("steps").get(0);

    assertThat(step.getString("task_uuid")).isEqualTo(task.toString());
    assertThat(verdicts(worker.submit(null, success(step, "{}")))).containsExactly("accepted");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(carl.post("/v1/workers", quoted(registration.formatted(namespace))).object()
        .getJsonArray("missing_namespaces")).isEmpty();
    drained(worker);
  }

  @Test
  void what_cannot_be_the_name_of_a_namespace_is_refused() {
    assertThat(admin.post("/v1/workers", quoted(
        "{'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote', 'not there']}"))
        .fields()).containsExactly("namespaces");
  }

  @Test
  void key_of_a_server_is_refused() {
    String server = admin.get("/v1/servers").list("servers").get(0).getString("server_uuid");
    assertThat(ann.post("/v1/workers", quoted("{'worker_uuid': '" + server
        + "', 'name': 'x', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['remote']}")).status())
        .isIn(400, 409);
    assertThat(new Worker(admin, server).ask("claims", "{}").status()).isEqualTo(404);
    assertThat(admin.delete("/v1/workers/" + server).status())
        .as("nor is a server drained as a worker").isEqualTo(404);
  }

  @Test
  void body_that_is_broken_or_too_long_changes_nothing() {
    Worker worker = worker(ann, 5, "remote.Other");
    submit("other_step", "{}");
    JsonObject step = worker.claim(1, 20).get(0);
    for (String what : List.of("claims", "results", "heartbeat")) {
      assertThat(worker.ask(what, "{'max': ").text("code")).as(what).isEqualTo("malformed-json");
      assertThat(worker.ask(what, "[]").text("code")).as(what).isEqualTo("malformed-json");
    }
    Answer tooLong = worker.submit(null, success(step, "'" + "x".repeat(1_048_577) + "'"));
    assertThat(tooLong.status() + " " + tooLong.text("code")).isEqualTo("400 invalid-request");
    assertThat(tooLong.fields()).containsExactly("results/0/result");
    Answer tooMuch = worker.submit(null, success(step, "'" + "x".repeat(17_000_000) + "'"));
    assertThat(tooMuch.status() + " " + tooMuch.text("code")).isEqualTo("413 body-too-large");
    assertThat(worker.beat(step).object().getJsonArray("lost")).isEmpty();
    assertThat(verdicts(worker.submit(null, success(step, "'" + "x".repeat(1_000_000) + "'"))))
        .containsExactly("accepted");
    drained(worker);
  }

  @Test
  void failure_keeps_its_retries_and_its_message_whatever_characters_it_has() {
    Worker worker = worker(ann, 5, "remote.First", "remote.Second");
    UUID task = submit("two_steps", "{}");
    JsonObject first = worker.claim(1, 20).get(0);

    assertThat(
        verdicts(
            worker
                .submit(null,
                    named(first)
                        + ", 'outcome': 'retryable_failure', 'error': {'type': 'Bad\\u0000', 'message': 'a\\u0000b \\ud83d"
                        + "x".repeat(200_000)
                        + "', 'details': {'k\\u0000': ['\\ude00']}}, 'retry_after_ms': 1}")))
        .containsExactly("accepted");

    JsonObject again = worker.claim(1, 20).get(0);
    assertThat(again.getInt("attempt")).isEqualTo(2);
    JsonObject error = admin
        .get("/v1/tasks/" + task + "/workflow_steps/" + first.getString("step_uuid") + "/audit")
        .list("results").get(0)
        .getJsonObject("error");
    assertThat(error.getString("type")).isEqualTo("Bad ");
    assertThat(error.getString("message")).startsWith("a b ?xxx").endsWith("x…").hasSize(4_000);
    assertThat(error.getJsonObject("details").getJsonArray("k ").getString(0)).isEqualTo("?");
    assertThat(verdicts(worker.submit(null,
        named(again) + ", 'outcome': 'permanent_failure', 'error': {'type': '', 'message': ' '}}")))
        .containsExactly("accepted");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    drained(worker);
  }

  @Test
  void long_answers_are_cut_and_the_rest_is_given_back() {
    Worker worker = worker(ann, 10, "remote.Other");
    IntStream.range(0, 6)
        .forEach(i -> submit("other_step", quoted("{'text': '" + "x".repeat(1_000_000) + "'}")));
    int done = 0;
    for (List<JsonObject> steps = worker.claim(10, 20); !steps.isEmpty(); steps = worker.claim(10,
        5)) {
      assertThat(steps).hasSizeLessThan(5);
      assertThat(steps).extracting(step -> step.getInt("attempt")).containsOnly(1);
      done += steps.size();
      worker.submit(null, steps.stream().map(step -> success(step, "{}")).toArray(String[]::new));
    }
    assertThat(done).isEqualTo(6);
    drained(worker);
  }
}
