package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.security.Permission;
import ee.tasker.testing.handlers.Secret;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.EventClient;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What answers tell, of every operation that the OpenAPI document has, to callers of every kind:
 * each role in all namespaces and in one, each permission
 * alone, all but one, and none. Texts are marked by what they are a part of, and each has the
 * permissions without which it must not be told. So that the
 * walk cannot pass by seeing nothing, it is written down which operations tell an administrator
 * which of them, and one who has just the permissions is told too.
 */
@Tag("long")
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnswersIT {
  private static final Set<String> ENDLESS = Set.of("streamEvents", "streamDomainEvents");
  private static final String WHO_AND_WHY = "'requested_by': 'ann', 'reason': 'a test'";
  private static final List<String> TEMPLATES = List.of("""
      name: secretive
      namespace_name: answers
      version: 1.0.0
      identity_strategy: always_unique
      steps:
        - name: good
          handler: {callable: testing.Secret}
        - name: bad
          dependencies: [good]
          handler: {callable: testing.Secret, initialization: {fails: true}}
      """, """
      name: same
      namespace_name: answers
      version: 1.0.0
      identity_strategy: strict
      steps:
        - name: good
          handler: {callable: testing.Secret}
      """, """
      name: in_turn
      namespace_name: answers
      version: 1.0.0
      identity_strategy: always_unique
      concurrency: [{limit: 1, key: /customer}]
      steps:
        - name: waiting
          handler: {callable: testing.Fail, initialization: {way: retryable}}
          retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 3600000, max_backoff_ms: 3600000}
      """, """
      name: one_only
      namespace_name: answers
      version: 1.0.0
      identity_strategy: always_unique
      concurrency: [{limit: 1, key: /customer, when_full: fail_fast}]
      steps:
        - name: waiting
          handler: {callable: testing.Fail, initialization: {way: retryable}}
          retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 3600000, max_backoff_ms: 3600000}
      """, """
      name: findable
      namespace_name: answers
      version: 1.0.0
      identity_strategy: always_unique
      search_attributes: {order: order}
      steps:
        - name: good
          handler: {callable: testing.Secret}
      """, """
      name: findable
      namespace_name: answers_too
      version: 1.0.0
      identity_strategy: always_unique
      search_attributes: {order: order}
      steps:
        - name: good
          handler: {callable: testing.Secret}
      """, """
      name: checked
      namespace_name: answers
      version: 1.0.0
      identity_strategy: always_unique
      input_schema: {type: object, additionalProperties: false, properties: {who: {type: string}}}
      steps:
        - name: good
          handler: {callable: testing.Secret}
      """);

  /** A marked text, and what it takes to be told it. */
  private enum Marked {
    CONTEXT("marked-text-of-the-context", "tasks:context_read"),
    OLD_CONTEXT("marked-text-of-the-old-context", "tasks:context_read"),
    INPUTS("marked-text-of-the-inputs", "tasks:context_read"),
    OLD_INPUTS("marked-text-of-the-former-inputs", "tasks:context_read"),
    KEY("marked-text-of-the-key", "tasks:context_read"),
    VIOLATION("marked-text-of-the-violation", "tasks:context_read"),
    PAYLOAD("marked-text-of-the-payload", "steps:read"),
    RESULT(Secret.RESULT, "steps:read"),
    ERROR(Secret.ERROR, "steps:read"),
    CHECKPOINT(Secret.CHECKPOINT, "steps:read"),
    PARKED("marked-text-of-the-message", "tasks:context_read", "steps:read", "everywhere"),
    CAUSE("marked-text-of-the-cause", "tasks:context_read", "steps:read", "everywhere");

    private final String text;
    private final Set<String> takes;

    Marked(String text, String... takes) {
      this.text = text;
      this.takes = Set.of(takes);
    }
  }

  /** By operation, what an administrator is told at least: that the texts are there to be told. */
  private static final Map<String, Set<Marked>> TOLD = Map.ofEntries(
      Map.entry("submitTask", Set.of(Marked.CONTEXT)),
      Map.entry("getTask", Set.of(Marked.CONTEXT)),
      Map.entry("cancelTask", Set.of(Marked.CONTEXT)),
      Map.entry("actOnTask", Set.of(Marked.CONTEXT)),
      Map.entry("getTaskHistory",
          Set.of(Marked.CONTEXT, Marked.OLD_CONTEXT, Marked.INPUTS, Marked.OLD_INPUTS, Marked.ERROR,
              Marked.CHECKPOINT)),
      Map.entry("getTaskHistory of a refused one", Set.of(Marked.VIOLATION)),
      Map.entry("diagnoseTask", Set.of(Marked.ERROR)),
      Map.entry("diagnoseTask of a waiting one", Set.of(Marked.KEY)),
      Map.entry("listSteps of a signalled one", Set.of(Marked.PAYLOAD)),
      Map.entry("getStep of a signalled one", Set.of(Marked.PAYLOAD)),
      Map.entry("listSteps", Set.of(Marked.RESULT, Marked.ERROR)),
      Map.entry("getStep", Set.of(Marked.ERROR)), Map.entry("auditStep", Set.of(Marked.ERROR)),
      Map.entry("actOnStep", Set.of(Marked.RESULT)),
      Map.entry("listDeadLetters", Set.of(Marked.ERROR)),
      Map.entry("getDeadLetter", Set.of(Marked.ERROR)),
      Map.entry("getDeadLetterOfTask", Set.of(Marked.ERROR)),
      Map.entry("updateDeadLetter", Set.of(Marked.ERROR)),
      Map.entry("openDeadLetter", Set.of(Marked.ERROR)),
      Map.entry("listConcurrencyPolicies", Set.of(Marked.KEY)),
      Map.entry("listDeadMessages", Set.of(Marked.PARKED, Marked.CAUSE)));

  private record Caller(String name, Set<String> everywhere, Set<String> inNamespace,
      TaskerClient client) {
    boolean may(String permission) {
      return everywhere.contains(permission) || inNamespace.contains(permission);
    }

    boolean mayBeTold(Marked marked) {
      return marked.takes.stream().filter(each -> !each.equals("everywhere"))
          .allMatch(
              permission -> everywhere.contains(permission)
                  || !marked.takes.contains("everywhere") && inNamespace.contains(permission));
    }
  }

  /**
   * A request about marked things. @param isFresh whether each that may be done has to be about a
   * new thing
   */
  private record Question(String operation, boolean isFresh, Supplier<Call> call) {
  }

  private final TaskerClient admin;
  private final Contract contract;
  private final List<Caller> callers = new ArrayList<>();
  private final Map<String, Question> questions = new LinkedHashMap<>();
  private UUID task;
  private ContractScenarios scenarios;

  AnswersIT(TaskerClient admin) {
    this.admin = admin;
    contract = new Contract(admin.get("/openapi").object());
  }

  @BeforeAll
  void prepare() {
    TEMPLATES.forEach(template -> assertThat(admin.postTemplate(template).status()).isIn(200, 201));
    scenarios = new ContractScenarios(contract, admin);
    gatherCallers();
    task = eventful();
    ask();
  }

  @AfterAll
  void putBack() {
    scenarios.putBack();
  }

  // ---- who asks

  private void gatherCallers() {
    List<String> all = Arrays.stream(Permission.values()).map(Permission::text).toList();
    add("no permissions", List.of(), List.of());
    for (JsonObject role : admin.get("/v1/access/roles").object().getJsonArray("roles")
        .getValuesAs(JsonObject.class)) {
      List<String> granted = role.getJsonArray("permissions").getValuesAs(JsonString::getString);
      List<String> permissions = all.stream()
          .filter(permission -> granted.stream()
              .anyMatch(each -> each.equals("*:*") || each.equals(permission)
                  || each.endsWith(":*")
                      && permission.startsWith(each.substring(0, each.length() - 1))))
          .toList();
      add(role.getString("role"), permissions, List.of());
      add(role.getString("role") + " in the namespace", List.of(), permissions);
    }
    for (String permission : all) {
      add("one with " + permission, List.of(permission), List.of());
    }
    for (String missing : List.of("tasks:context_read", "steps:read", "tasks:read", "dlq:read")) {
      List<String> others = all.stream().filter(permission -> !permission.equals(missing)).toList();
      add("one without " + missing, others, List.of());
      add("one with " + missing + " elsewhere", others, List.of(missing + " in elsewhere"));
    }
    assertThat(callers).hasSizeGreaterThan(45);
  }

  private void add(String name, Collection<String> everywhere, Collection<String> inNamespace) {
    List<String> granted = Stream
        .concat(everywhere.stream(),
            inNamespace.stream().map(each -> each.contains(" in ") ? each : each + " in answers"))
        .toList();
    callers.add(new Caller(name, Set.copyOf(everywhere), Set.copyOf(inNamespace),
        granted.isEmpty() ? admin.asOneWhoMay(List.of()) : admin.asOneWhoMay(granted)));
  }

  // ---- what about

  private UUID blocked(Marked context) {
    UUID made = admin.submit("answers", "secretive", "{\"text\": \"" + context.text + "\"}");
    assertThat(admin.awaitTerminalOrBlocked(made).getString("state"))
        .isEqualTo("blocked_by_failures");
    return made;
  }

  private String step(UUID of, String name) {
    return admin.steps(of).get(name).getString("step_uuid");
  }

  private void patch(String path, String body) {
    Answer answer = admin.send(
        admin.request(path).header("Content-Type", "application/json").method("PATCH",
            HttpRequest.BodyPublishers.ofString(quoted(body))));
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
  }

  /** Failed, with other inputs, and with others again, and with another context. */
  private UUID eventful() {
    UUID made = blocked(Marked.OLD_CONTEXT);
    for (Marked inputs : List.of(Marked.OLD_INPUTS, Marked.INPUTS)) {
      patch("/v1/tasks/" + made + "/workflow_steps/" + step(made, "bad"),
          "{'action_type': 'reset_for_retry', 'reset_by': 'ann', 'reason': '" + inputs
              + "', 'discard_checkpoint': true, "
              + "'inputs': {'text': '" + inputs.text + "'}}");
      assertThat(admin.awaitTerminalOrBlocked(made).getString("state"))
          .isEqualTo("blocked_by_failures");
    }
    patch("/v1/tasks/" + made, "{'action_type': 'retry', " + WHO_AND_WHY + ", 'context': {'text': '"
        + Marked.CONTEXT.text + "'}}");
    assertThat(admin.awaitTerminalOrBlocked(made).getString("state"))
        .isEqualTo("blocked_by_failures");
    return made;
  }

  private UUID waitingInTurn() {
    String context = "{\"customer\": \"" + Marked.KEY.text + "\"}";
    UUID holder = admin.submit("answers", "in_turn", context);
    UUID waiter = admin.submit("answers", "in_turn", context);
    TaskerClient.until("one of two waits for the other", Duration.ofSeconds(30),
        () -> Stream.of(holder, waiter)
            .anyMatch(
                each -> admin.get("/v1/tasks/" + each + "/diagnosis").body().contains("\"slot\"")));
    return Stream.of(holder, waiter)
        .filter(each -> admin.get("/v1/tasks/" + each + "/diagnosis").body().contains("\"slot\""))
        .findFirst()
        .orElseThrow();
  }

  /** It found its limit reached, and was cancelled with that for a reason. */
  private UUID turnedAway() {
    String context = "{\"customer\": \"" + Marked.KEY.text + "\"}";
    List<UUID> both = List.of(admin.submit("answers", "one_only", context),
        admin.submit("answers", "one_only", context));
    Supplier<Stream<UUID>> ended = () -> both.stream()
        .filter(each -> "cancelled".equals(admin.get("/v1/tasks/" + each).text("state")));
    TaskerClient.until("one of two is turned away", Duration.ofSeconds(30),
        () -> ended.get().findFirst().isPresent());
    return ended.get().findFirst().orElseThrow();
  }

  /** By SQL, where the context is validated only after the task exists. */
  private UUID refused() {
    UUID made = (UUID) admin.value(
        "select tasker.submit_task('answers', 'checked', '1.0.0', jsonb_build_object(?::text, 1))",
        Marked.VIOLATION.text);
    assertThat(admin.awaitTerminalOrBlocked(made).getString("state")).isEqualTo("error");
    return made;
  }

  private void park() {
    admin.sql(
        "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause, message) "
            + "values ('orchestration_task_requests', 0, 5, now(), ?, jsonb_build_object('context', ?::text))",
        Marked.CAUSE.text, Marked.PARKED.text);
  }

  private Call call(String operation) {
    return Call.of(contract, operation);
  }

  /**
   * A task one step of which has taken a signal, another of which is kept, while a third step
   * waits.
   */
  private UUID signalled() {
    assertThat(admin.postTemplate("""
        name: signalled
        namespace_name: answers
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - {name: taken, signal: {name: word}}
          - {name: pause, dependencies: [taken], wait: {for: P1D}}
          - {name: next, dependencies: [pause], signal: {name: word}}
        """).status()).isIn(200, 201);
    UUID made = admin.submit("answers", "signalled", "{}");
    for (int i = 0; i < 2; i++) {
      assertThat(
          admin.post("/v1/tasks/" + made + "/signals/word",
              TaskerClient.quoted("{'payload': '" + Marked.PAYLOAD.text + "'}")).status())
          .isEqualTo(200);
    }
    return made;
  }

  private Call about(String operation, UUID which) {
    return call(operation).path("task_uuid", which);
  }

  private String entry(UUID of) {
    return admin.get("/v1/dlq/task/" + of).text("dlq_entry_uuid");
  }

  private void once(String operation, Supplier<Call> call) {
    Call made = call.get();
    questions.put(operation, new Question(operation.split(" ")[0], false, () -> made));
  }

  private void eachTime(String operation, Supplier<Call> call) {
    questions.put(operation, new Question(operation, true, call));
  }

  private void ask() {
    UUID waiting = waitingInTurn();
    UUID turnedAway = turnedAway();
    UUID refused = refused();
    park();
    String same = TaskerClient
        .taskRequest("answers", "same", "{'text': '" + Marked.CONTEXT.text + "'}")
        .replace("\"context\"",
            "\"on_duplicate\": \"return\", \"context\"");
    once("submitTask", () -> call("submitTask").query("wait", 20).body("application/json", same));
    once("submitTasks", () -> call("submitTasks").body("application/json", "[" + same + "]"));
    once("listTasks", () -> call("listTasks").query("limit", 100).query("namespace", "answers"));
    once("listTasks with why", () -> call("listTasks").query("limit", 100)
        .query("namespace", "answers").query("include", "why"));
    once("listTasks with failures and attributes", () -> call("listTasks").query("limit", 100)
        .query("namespace", "answers").query("include", "failure,attributes,why"));
    once("previewFireTimes", () -> call("previewFireTimes").query("cron", "0 6 * * 1-5")
        .query("zone", "Europe/Berlin"));
    once("countTasks", () -> call("countTasks").query("namespace", "answers"));
    once("listDomainEvents",
        () -> call("listDomainEvents").query("namespace", "answers").query("limit", 100));
    once("listFailures",
        () -> call("listFailures").query("namespace", "answers").query("limit", 100));
    for (String operation : List.of("getTask", "getTaskHistory", "diagnoseTask", "listSteps")) {
      once(operation, () -> about(operation, task));
      once(operation + " of a waiting one", () -> about(operation, waiting));
      once(operation + " of one turned away", () -> about(operation, turnedAway));
      once(operation + " of a refused one", () -> about(operation, refused));
    }
    UUID signalled = signalled();
    for (String operation : List.of("getTask", "getTaskHistory", "diagnoseTask", "listSteps")) {
      once(operation + " of a signalled one", () -> about(operation, signalled));
    }
    once("getStep of a signalled one",
        () -> about("getStep", signalled).path("step_uuid", step(signalled, "taken")));
    eachTime("sendSignal", () -> about("sendSignal", signalled()).path("name", "word")
        .json("{'payload': '" + Marked.PAYLOAD.text + "'}"));
    eachTime("sendSignalByCorrelation",
        () -> call("sendSignalByCorrelation").path("name", "word").json("{'payload': '"
            + Marked.PAYLOAD.text + "', 'correlation_id': '"
            + admin.get("/v1/tasks/" + signalled()).text("correlation_id") + "'}"));
    for (String operation : List.of("getStep", "auditStep")) {
      once(operation, () -> about(operation, task).path("step_uuid", step(task, "bad")));
    }
    once("openTask", () -> about("openTask", task).json("{" + WHO_AND_WHY + "}"));
    once("openStep", () -> about("openStep", task).path("step_uuid", step(task, "bad"))
        .json("{" + WHO_AND_WHY + "}"));
    once("readTaskDocument", () -> about("readTaskDocument", task).path("document", "context"));
    for (String document : List.of("error", "result", "checkpoint", "inputs")) {
      once("readStepDocument of the " + document,
          () -> about("readStepDocument", task).path("document", document).path("step_uuid",
              step(task, document.equals("result") ? "good" : "bad")));
    }
    eachTime("cancelTask", () -> about("cancelTask", blocked(Marked.CONTEXT)));
    eachTime("forkTask", () -> {
      UUID made = blocked(Marked.CONTEXT);
      return about("forkTask", made)
          .json("{'from': ['" + step(made, "bad") + "'], " + WHO_AND_WHY + "}");
    });
    eachTime("actOnTask", () -> about("actOnTask", blocked(Marked.CONTEXT))
        .json("{'action_type': 'fail', " + WHO_AND_WHY + "}"));
    eachTime("actOnStep", () -> {
      UUID made = blocked(Marked.CONTEXT);
      return about("actOnStep", made).path("step_uuid", step(made, "bad"))
          .json("{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'a test', "
              + "'completion_data': {'result': '" + Secret.RESULT + "'}}");
    });
    once("streamTaskEvents", () -> about("streamTaskEvents", refused));
    once("listDeadLetters", () -> call("listDeadLetters").query("limit", 500));
    once("getDeadLetter", () -> call("getDeadLetter").path("dlq_entry_uuid", entry(task)));
    once("getDeadLetterOfTask", () -> about("getDeadLetterOfTask", task));
    once("openDeadLetter",
        () -> call("openDeadLetter").json("{'task_uuid': '" + task + "', " + WHO_AND_WHY + "}"));
    eachTime("updateDeadLetter", () -> call("updateDeadLetter")
        .path("dlq_entry_uuid", entry(blocked(Marked.CONTEXT)))
        .json(
            "{'resolution_status': 'manually_resolved', 'resolved_by': 'ann', 'resolution_notes': 'a test'}"));
    once("listConcurrencyPolicies",
        () -> call("listConcurrencyPolicies").query("namespace", "answers").query("entries", 10));
    eachTime("setConcurrencyLimit",
        () -> call("setConcurrencyLimit").json("{'limit': null, " + WHO_AND_WHY + "}").path(
            "policy_uuid",
            admin.value(
                "select policy_uuid from tasker.concurrency_policies where namespace_name = 'answers' and template_name = 'in_turn'")));
    once("listDeadMessages", () -> call("listDeadMessages").query("limit", 100));
    eachTime("previewBulkAction", () -> call("previewBulkAction")
        .json("{'action_type': 'fail', " + WHO_AND_WHY
            + ", 'filter': {'namespace': 'answers', 'name': 'secretive'}}"));
    once("listWriteRequests", () -> call("listWriteRequests").query("limit", 100));
    once("getBottlenecks",
        () -> call("getBottlenecks").query("namespace", "answers").query("min_executions", 1));
    // All other operations as the contract calls them, restricted to the marked objects.
    contract.operations().stream().filter(
        operation -> !questions.containsKey(operation.id()) && !ENDLESS.contains(operation.id()))
        .forEach(operation -> questions.put(operation.id(),
            new Question(operation.id(), !"GET".equals(operation.method()),
                scenarios.of(operation))));
  }

  // ---- what is told

  private static Set<Marked> told(Answer answer) {
    String all = answer.body() + answer.headers();
    return Arrays.stream(Marked.values()).filter(marked -> all.contains(marked.text))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Marked.class)));
  }

  private static Answer send(Call call, TaskerClient client) {
    return call.operation().id().equals("streamTaskEvents")
        ? client.send(client.request(call.uri()).setHeader("Accept", "*/*").GET())
        : call.sendAs(client);
  }

  @Test
  void no_answer_tells_a_caller_more_of_a_task_than_its_permissions_show() {
    Set<String> asked = questions.values().stream().map(Question::operation)
        .collect(Collectors.toCollection(TreeSet::new));
    assertThat(asked).as("every operation but the endless ones")
        .containsAll(contract.operations().stream().map(Contract.Operation::id)
            .filter(id -> !ENDLESS.contains(id)).toList());

    Map<String, Set<Marked>> control = new TreeMap<>();
    Map<Marked, Set<String>> tellers = new TreeMap<>();
    List<String> leaks = new ArrayList<>();
    questions.forEach((name, question) -> {
      Call shared = question.call().get();
      control.put(name, told(send(shared, admin)));
      String permission = shared.operation().value().getString("x-permission", null);
      for (Caller caller : callers) {
        boolean isAllowed = permission == null || caller.may(permission);
        Answer answer = send(question.isFresh() && isAllowed ? question.call().get() : shared,
            caller.client());
        for (Marked marked : told(answer)) {
          if (!caller.mayBeTold(marked)) {
            leaks.add(name + " tells " + marked + " to " + caller.name() + ": " + answer);
          } else {
            tellers.computeIfAbsent(marked, key -> new LinkedHashSet<>()).add(caller.name());
          }
        }
      }
    });

    assertThat(leaks.stream().map(leak -> leak.split(": ")[0]).toList())
        .as("%s", leaks.stream().findFirst().orElse("")).isEmpty();
    assertThat(TOLD)
        .allSatisfy((name, marked) -> assertThat(control.get(name))
            .as("what %s tells the administrator", name).containsAll(marked));
    assertThat(tellers.keySet())
        .as("texts that others than the administrator are told when they may")
        .containsExactly(Marked.values());
  }

  @Test
  void just_the_permissions_that_show_a_text_are_enough() {
    assertThat(told(
        admin.asOneWhoMay(List.of("tasks:read in answers")).get("/v1/tasks/" + task + "/history")))
        .isEmpty();
    assertThat(
        told(admin.asOneWhoMay(List.of("tasks:read in answers", "tasks:context_read in answers"))
            .get("/v1/tasks/" + task + "/history")))
        .containsExactlyInAnyOrder(Marked.CONTEXT, Marked.OLD_CONTEXT, Marked.INPUTS,
            Marked.OLD_INPUTS);
    assertThat(told(admin.asOneWhoMay(List.of("tasks:read in answers", "steps:read in answers"))
        .get("/v1/tasks/" + task + "/history")))
        .containsExactlyInAnyOrder(Marked.ERROR, Marked.CHECKPOINT);
    assertThat(told(
        admin.asOneWhoMay(List.of("tasks:read", "tasks:context_read")).get("/v1/tasks/" + task)))
        .containsExactly(Marked.CONTEXT);
  }

  /**
   * Whether a value is found is content, too: a caller who may not read it gets the same answer for
   * a value that is there as for one that is not.
   */
  @Test
  void a_filter_by_context_finds_only_where_the_caller_may_read_contexts() {
    String value = "found-" + UUID.randomUUID();
    String here = admin.submit("answers", "findable", "{\"order\": \"" + value + "\"}").toString();
    String there = admin.submit("answers_too", "findable", "{\"order\": \"" + value + "\"}")
        .toString();

    for (Caller caller : callers) {
      Set<String> visible = new TreeSet<>();
      if (caller.may("tasks:list") && caller.may("tasks:context_read")) {
        visible.add(here);
      }
      if (caller.everywhere().containsAll(Set.of("tasks:list", "tasks:context_read"))) {
        visible.add(there);
      }
      for (String filter : List.of("attribute=order:", "attribute_value=")) {
        Answer right = caller.client().get("/v1/tasks?" + filter + value);
        Answer wrong = caller.client().get("/v1/tasks?" + filter + UUID.randomUUID());
        assertThat(right.status()).as("%s: %s", caller.name(), right).isEqualTo(wrong.status());
        // A name that no template in the caller's namespaces declares is refused; a value without
        // a name is looked for wherever the caller may read contexts, and found nowhere.
        boolean isAnswered = right.status() == 200;
        assertThat(isAnswered || visible.isEmpty()).as("%s: %s", caller.name(), right).isTrue();
        if (filter.startsWith("attribute=")) {
          assertThat(isAnswered).as("%s: %s", caller.name(), right).isEqualTo(!visible.isEmpty());
        }
        assertThat(found(right)).as(caller.name()).isEqualTo(visible);
        assertThat(found(wrong)).as(caller.name()).isEmpty();
      }
    }
    TaskerClient reader = admin.asOneWhoMay(List.of("tasks:list", "tasks:context_read in answers"));
    assertThat(found(reader.get("/v1/tasks?attribute=order:" + value))).containsExactly(here);
    assertThat(found(reader.get("/v1/tasks?namespace=answers&attribute=order:" + value)))
        .containsExactly(here);
    assertThat(reader.get("/v1/tasks?namespace=answers_too&attribute=order:" + value).status())
        .isEqualTo(403);
    assertThat(reader.get("/v1/tasks?namespace=not_there&attribute=order:" + value).status())
        .isEqualTo(403);
    assertThat(found(reader.get("/v1/tasks?attribute_value=" + value))).containsExactly(here);
    assertThat(reader.get("/v1/tasks?namespace=answers_too&attribute_value=" + value).status())
        .isEqualTo(403);
    TaskerClient divided = admin
        .asOneWhoMay(List.of("tasks:list in answers_too", "tasks:context_read in answers"));
    assertThat(divided.get("/v1/tasks?attribute=order:" + value).status()).isEqualTo(403);
    assertThat(found(divided.get("/v1/tasks?namespace=answers&attribute=order:" + value)))
        .isEmpty();
    assertThat(found(divided.get("/v1/tasks"))).as("what it may list without the filter")
        .contains(there);
  }

  private static Set<String> found(Answer answer) {
    return answer.status() != 200 ? Set.of()
        : answer.object().getJsonArray("tasks").getValuesAs(JsonObject.class).stream()
            .map(each -> each.getString("task_uuid"))
            .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void a_caller_that_may_submit_and_not_read_learns_only_how_the_task_ended() {
    TaskerClient submitter = admin.asOneWhoMay(List.of("tasks:create in answers"));
    String request = TaskerClient
        .taskRequest("answers", "same", "{'text': '" + UUID.randomUUID() + "'}")
        .replace("\"context\"",
            "\"on_duplicate\": \"return\", \"context\"");

    for (int status : new int[]{201, 200}) {
      Answer answer = submitter.post("/v1/tasks?wait=30", request);
      assertThat(answer.status()).as("%s", answer).isEqualTo(status);
      assertThat(answer.object().keySet()).containsExactlyInAnyOrder("task_uuid", "state",
          "correlation_id", "version", "duplicate");
      assertThat(answer.text("state")).isEqualTo("complete");
      assertThat(answer.object().getBoolean("duplicate")).isEqualTo(status == 200);
    }
    Answer keyed = submitter
        .send(submitter.request("/v1/tasks?wait=30").header("Content-Type", "application/json")
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(HttpRequest.BodyPublishers.ofString(request)));
    assertThat(keyed.object().keySet()).containsExactlyInAnyOrder("task_uuid", "state",
        "correlation_id", "version", "duplicate");
  }

  @Test
  void a_saved_response_is_repeated_only_as_far_as_its_caller_may_still_read_it() {
    String key = UUID.randomUUID().toString();
    UUID made = blocked(Marked.CONTEXT);
    TaskerClient caller = admin.asOneWhoMay(List.of("tasks:cancel in answers",
        "tasks:read in answers", "tasks:context_read in answers"));
    Object newest = admin
        .value("select key_uuid from tasker.access_keys order by key_uuid desc limit 1");
    Supplier<Answer> cancel = () -> caller.send(
        caller.request("/v1/tasks/" + made + "?reason=x").header("Idempotency-Key", key).DELETE());
    assertThat(told(cancel.get())).containsExactly(Marked.CONTEXT);
    assertThat(told(cancel.get())).as("told again").containsExactly(Marked.CONTEXT);

    TaskerClient another = admin.asOneWhoMay(List.of("tasks:cancel in answers"));
    Answer anothers = another.send(
        another.request("/v1/tasks/" + made + "?reason=x").header("Idempotency-Key", key).DELETE());
    assertThat(anothers.header("Idempotent-Replayed"))
        .as("of a key of the same name, which is another caller").isEmpty();
    admin.sql(
        "delete from tasker.access_grants where permission = 'tasks:context_read' and key_uuid = ?",
        newest);
    TaskerClient.until("the grant is gone", Duration.ofSeconds(60),
        () -> told(cancel.get()).isEmpty());
    assertThat(cancel.get().header("Idempotent-Replayed")).isEqualTo("true");
  }

  @Test
  void the_stream_of_all_events_tells_moves_and_nothing_else() throws Exception {
    try (EventClient events = EventClient.open(admin.base(), "/v1/events?namespace=answers", null,
        0)) {
      UUID made = blocked(Marked.CONTEXT);
      EventClient.Received event;
      do {
        event = events.next();
      } while (!made.toString().equals(event.data().getString("task_uuid", ""))
          || !"blocked_by_failures".equals(event.data().getString("to_state", "")));
      assertThat(events.events().toString())
          .doesNotContain(
              Arrays.stream(Marked.values()).map(marked -> marked.text).toArray(String[]::new));
    }
  }
}
