package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Why a task waits, in a browser: each cause that the database knows, its sentence, and where there is a blocker a link to it. */
@Tag("long")
class ConsoleWhyIT {
  private static final String LONG = "retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 600000, max_backoff_ms: 600000}";

  /** What the item of a cause must have besides its sentence. */
  private static final Map<String, String> LINKS = Map.ofEntries(Map.entry("parents", "button.link"), Map.entry("held_back", "button.link"),
      Map.entry("slot", "a[data-holder]"), Map.entry("child", "a[href^='#/tasks/']"), Map.entry("approval", "a[href^='#/approvals/']"),
      Map.entry("paused", "a[href^='#/templates/']"), Map.entry("batch", "a[href*='tab=batches']"),
      Map.entry("no_server", "a[href='#/servers']"),
      Map.entry("no_handler", "a[href='#/servers']"), Map.entry("offered", "a[href='#/servers']"),
      Map.entry("running", "a[href='#/servers']"),
      Map.entry("cancelling", "a[href='#/servers']"), Map.entry("lease_expired", "a[href='#/servers']"));

  private static Console console;
  private static Browser browser;
  private static TaskerClient admin;
  private static String worker;

  @BeforeAll
  static void start() {
    console = new Console();
    browser = console.browser;
    admin = console.admin;
  }

  @AfterAll
  static void stop() {
    if (console != null) {
      console.close();
    }
  }

  private static String cause(UUID task, String step) {
    return admin.sql("select cause from tasker.explain_waiting(?) where step_name = ?", task, step).stream()
        .map(row -> String.valueOf(row.get("cause")))
        .findFirst().orElse("none");
  }

  private static void until(UUID task, String step, String cause) {
    TaskerClient.until(step + " is " + cause + ", not " + cause(task, step), Duration.ofSeconds(30), () -> cause.equals(cause(task, step)));
  }

  private static UUID task(String namespace, String name, String template) {
    assertThat(admin
        .postTemplate(
            "name: " + name + "\nnamespace_name: " + namespace + "\nversion: 1.0.0\nidentity_strategy: always_unique\n" + template)
        .status()).isIn(200, 201);
    return admin.submit(namespace, name, "{\"cursors\": [1, 2]}");
  }

  private static Answer send(String method, String path, String body) {
    return admin
        .send(admin.request(path).header("Content-Type", "application/json").method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  /** A claim of the worker over HTTP that takes {@code why.Far}. */
  private static JsonObject claim() {
    Answer claimed = admin.post("/v1/workers/" + worker + "/claims",
        "{\"max\": 1, \"wait_seconds\": 20, \"request_id\": \"" + UUID.randomUUID() + "\"}");
    assertThat(claimed.object().getJsonArray("steps")).as("%s", claimed).hasSize(1);
    return claimed.object().getJsonArray("steps").getJsonObject(0);
  }

  private static String step(UUID task, String name) {
    return admin.steps(task).get(name).getString("step_uuid");
  }

  /** As of now: cause, and the task and step that have it. */
  private static Map<String, Map.Entry<UUID, String>> whileAllWorks() {
    Map<String, Map.Entry<UUID, String>> found = new LinkedHashMap<>();
    UUID failed = task("testing", "why_failed",
        "steps:\n  - {name: bad, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n"
            + "  - {name: slow, handler: {callable: testing.Hold}}\n  - {name: next, dependencies: [slow], handler: {callable: testing.Echo}}\n");
    until(failed, "bad", "failed");
    console.release(failed);
    found.put("failed", Map.entry(failed, "bad"));
    found.put("held_back", Map.entry(failed, "next"));
    UUID delayed = admin.post("/v1/tasks",
        "{\"namespace\": \"testing\", \"name\": \"hello\", \"version\": \"1.0.0\", \"delay_seconds\": 86400, \"context\": {\"who\": \"x\"}}")
        .taskUuid();
    found.put("delayed", Map.entry(delayed, "say"));
    found.put("retry", Map.entry(admin.submit("retry_later", "{}"), "failing"));
    found.put("timer", Map.entry(task("testing", "why_timer", "steps:\n  - {name: later, wait: {for: PT1H}}\n"), "later"));
    UUID signal = task("testing", "why_signal", "steps:\n  - {name: pay, signal: {name: payment}}\n");
    found.put("signal", Map.entry(signal, "pay"));
    found.put("approval", Map.entry(
        task("testing", "why_approval", "steps:\n  - {name: ok, approval: {title: [\"Yes?\"], candidates: {roles: [approver]}}}\n"), "ok"));
    found.put("child", Map.entry(task("testing", "why_child", "steps:\n  - {name: below, task: {name: why_signal}}\n"), "below"));
    found.put("child_retry", Map
        .entry(task("testing", "why_child_retry", "steps:\n  - {name: below, task: {name: why_failed_child}, " + LONG + "}\n"), "below"));
    UUID paused = task("testing", "why_paused",
        "steps:\n  - {name: one, handler: {callable: testing.Hold}}\n  - {name: two, dependencies: [one], handler: {callable: testing.Echo}}\n");
    until(paused, "one", "running");
    assertThat(
        admin.post("/v1/pauses", "{\"namespace\": \"testing\", \"name\": \"why_paused\", \"requested_by\": \"x\", \"reason\": \"a look\"}")
            .status())
        .isIn(200, 201);
    console.release(paused);
    found.put("paused", Map.entry(paused, "two"));
    found.put("no_handler",
        Map.entry(task("testing", "why_no_handler", "steps:\n  - {name: far, handler: {callable: why.Nowhere}}\n"), "far"));

    UUID yielded = task("testing", "why_yielded", "steps:\n  - {name: far, handler: {callable: why.Far}}\n");
    JsonObject claim = claim();
    assertThat(admin
        .post("/v1/workers/" + worker + "/results", "{\"results\": [{\"step_uuid\": \"" + claim.getString("step_uuid") + "\", \"handoff\": "
            + claim.getInt("handoff") + ", \"outcome\": \"yielded\", \"after_ms\": 3600000}]}")
        .status()).isEqualTo(200);
    found.put("yielded", Map.entry(yielded, "far"));
    found.put("offered", Map.entry(task("testing", "why_offered", "steps:\n  - {name: far, handler: {callable: why.Far}}\n"), "far"));
    UUID held = admin.submit("hold", "{}");
    found.put("running", Map.entry(held, "held"));
    found.put("parents", Map.entry(held, "after"));
    UUID deaf = task("testing", "why_deaf", "steps:\n  - {name: deaf, handler: {callable: testing.Deaf}}\n");
    until(deaf, "deaf", "running");
    admin.sql("select tasker.request_cancel(?, 'bob', 'why not')", deaf);
    found.put("cancelling", Map.entry(deaf, "deaf"));
    found.put("batch", Map.entry(task("testing", "why_batch", """
        steps:
          - {name: cut, type: batchable, handler: {callable: testing.CutBatches}}
          - {name: work, type: batch_worker, depends_on: [cut], handler: {callable: testing.Hold}, batch_config: {worker_template: work, parallelism: 2}}
          - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
        """), "work"));
    String slots = "steps:\n  - {name: bank, handler: {callable: testing.Hold}, concurrency: [{limit: 1}]}\n";
    UUID holder = task("testing", "why_slots", slots);
    until(holder, "bank", "running");
    found.put("slot", Map.entry(admin.submit("testing", "why_slots", "{}"), "bank"));
    return found;
  }

  private static Map<String, Map.Entry<UUID, String>> whileNothingWorks(Map<String, Map.Entry<UUID, String>> before) {
    Map<String, Map.Entry<UUID, String>> found = new LinkedHashMap<>();
    UUID unserved = task("why_elsewhere", "why_unserved", "steps:\n  - {name: far, handler: {callable: why.Nowhere}}\n");
    UUID leased = before.get("offered").getKey();
    JsonObject claim = claim();
    assertThat(claim.getString("step_uuid")).isEqualTo(step(leased, "far"));
    UUID submitted = task("testing", "why_submitted", "steps:\n  - {name: far, handler: {callable: why.Far}}\n");
    JsonObject second = claim();

    String server = admin.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0).getString("server_uuid");
    TaskerClient.until("it is offered", Duration.ofSeconds(20), () -> "no_handler".equals(cause(unserved, "far")));
    assertThat(send("PATCH", "/v1/servers/" + server,
        "{\"paused_roles\": [\"orchestrator\", \"worker\"], \"requested_by\": \"x\", \"reason\": \"a test\"}").status()).isEqualTo(200);
    found.put("no_server", Map.entry(unserved, "far"));
    admin.sql(
        "update tasker.workflow_steps set lease_expires_at = now() - interval '1 minute' where workflow_step_uuid = ?::uuid returning 1",
        claim.getString("step_uuid"));
    found.put("lease_expired", Map.entry(leased, "far"));
    admin.sql(
        "select tasker.complete_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?, 'task_uuid', ?, 'handoff', ?, 'outcome', 'success', 'result', '{}'::jsonb)), ?::uuid, p_settle => false)",
        second.getString("step_uuid"), submitted.toString(), second.getInt("handoff"), worker);
    found.put("result_submitted", Map.entry(submitted, "far"));
    Map.Entry<UUID, String> retry = before.get("retry");
    admin.sql("update tasker.workflow_steps set next_retry_at = now() - interval '1 minute' where workflow_step_uuid = ?::uuid returning 1",
        step(retry.getKey(), retry.getValue()));
    found.put("retry_due", retry);
    UUID started = (UUID) admin.value(
        "select (tasker.submit_tasks('[{\"namespace\": \"testing\", \"name\": \"checked_hello\", \"version\": \"1.0.0\", \"context\": {\"who\": \"x\"}}]') "
            + "#>> '{verdicts,0,task_uuid}')::uuid");
    found.put(cause(started, "say"), Map.entry(started, "say"));
    UUID pending = (UUID) admin.value(
        "select (tasker.submit_tasks('[{\"namespace\": \"testing\", \"name\": \"hello\", \"version\": \"1.0.0\", \"context\": {\"who\": \"x\"}}]') "
            + "#>> '{verdicts,0,task_uuid}')::uuid");
    found.put(cause(pending, "say"), Map.entry(pending, "say"));
    admin.sql("delete from tasker.template_pauses returning 1");
    Map.Entry<UUID, String> ready = before.get("paused");
    found.put("ready", ready);
    return found;
  }

  private static void visit(String cause, Map.Entry<UUID, String> where) {
    until(where.getKey(), where.getValue(), cause);
    console.go("tasks/" + where.getKey());
    String item = "section[aria-label=\"Why it waits\"] [data-cause=" + cause + "]";
    browser.await("document.querySelector(arguments[0])", item);
    // The page shows the times of the sentence in the reader's zone, and is loaded again when a lease was renewed.
    TaskerClient.until("the sentence of " + cause, Duration.ofSeconds(20), () -> JsonValue.TRUE.equals(browser.runLater(
        "const { withTimes } = await import(new URL('time.js', document.querySelector('script[type=module]').src)); "
            + "return document.querySelector(arguments[0])?.innerText.replace(/\\s+/g, ' ').includes(withTimes(arguments[1]).replace(/\\s+/g, ' '))",
        item,
        admin.value("select sentence from tasker.explain_waiting(?) where step_name = ?", where.getKey(), where.getValue()).toString())));
    if (LINKS.containsKey(cause)) {
      assertThat(browser.run("return !!document.querySelector(arguments[0])", item + " " + LINKS.get(cause))).as("link of " + cause)
          .isEqualTo(JsonValue.TRUE);
    }
  }

  @Test
  void each_cause_shows_its_sentence_and_a_link_where_something_is_in_the_way() {
    assertThat(
        admin.postTemplate("name: why_failed_child\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: bad, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n").status())
        .isIn(200, 201);
    worker = admin
        .post("/v1/workers",
            "{\"name\": \"far\", \"namespaces\": [\"testing\"], \"handlers\": [\"why.Far\"], \"heartbeat_seconds\": 60, \"capacity\": 5}")
        .text("worker_uuid");
    console.signIn("ann");
    Map<String, Map.Entry<UUID, String>> first = whileAllWorks();
    // Those that are held for a minute were made last.
    List<String> causes = new ArrayList<>(first.keySet());
    Collections.reverse(causes);
    causes.forEach(cause -> visit(cause, first.get(cause)));
    assertThat(console.violations()).isEmpty();
    Map<String, Map.Entry<UUID, String>> second = whileNothingWorks(first);
    second.forEach(ConsoleWhyIT::visit);

    Set<String> seen = new TreeSet<>(first.keySet());
    seen.addAll(second.keySet());
    String source = admin.value("select prosrc from pg_proc where proname = 'explain_waiting'").toString();
    Set<String> known = java.util.regex.Pattern.compile("(?:then|else) '([a-z_]+)'(?:\\n| |$)")
        .matcher(source.substring(source.indexOf("judged as"), source.indexOf("end as cause")))
        .results().map(found -> found.group(1)).collect(java.util.stream.Collectors.toCollection(TreeSet::new));
    known.addAll(Set.of("retry", "yielded", "timer", "signal", "approval", "child", "child_retry"));
    System.out.println("causes seen: " + seen.size() + " of " + known.size());
    assertThat(seen).isEqualTo(known);
  }
}
