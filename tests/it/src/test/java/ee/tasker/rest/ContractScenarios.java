package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * For each operation a request that succeeds, created anew each time, and the requests that get
 * another response because of existing data.
 */
final class ContractScenarios {
  private static final String WHO_AND_WHY = "'requested_by': 'ann', 'reason': 'a test'";
  private static final String TEMPLATE = """
      name: NAME
      namespace_name: contract
      version: 1.0.0
      description: DESCRIPTION
      identity_strategy: always_unique
      steps:
        - name: first
          handler: {callable: testing.Echo}
      """;

  private final Contract contract;
  private final TaskerClient admin;
  private final Map<String, Supplier<Call>> right = new LinkedHashMap<>();
  private final Map<String, Map<Integer, Supplier<Call>>> byState = new LinkedHashMap<>();
  /** Other tests register templates by these scenarios in the same database, too. */
  private final String own = UUID.randomUUID().toString().substring(0, 8);
  private int number;
  private String user;

  ContractScenarios(Contract contract, TaskerClient admin) {
    this.contract = contract;
    this.admin = admin;
    admin.register("/testing/templates.yaml");
    for (String template : List.of(template("paused", "waits"), template("known", "stays"),
        template("limited", "takes turns") + "    concurrency: [{limit: 1}]\n")) {
      assertThat(admin.postTemplate(template).status()).isIn(200, 201);
    }
    tasksAndSteps();
    approvals();
    operations();
    schedules();
    webhooks();
    templates();
    insight();
    server();
    workers();
    access();
  }

  /** Null when there is none. */
  Supplier<Call> of(Contract.Operation operation) {
    return right.get(operation.id());
  }

  /** By status. */
  Map<Integer, Supplier<Call>> byState(Contract.Operation operation) {
    return byState.getOrDefault(operation.id(), Map.of());
  }

  /** Pauses, limits and the like. */
  void putBack() {
    admin.delete("/v1/pauses?namespace=contract&name=paused&requested_by=ann&reason=done");
  }

  private static String template(String name, String description) {
    return TEMPLATE.replace("NAME", name).replace("DESCRIPTION", description);
  }

  private Call call(String operation) {
    return Call.of(contract, operation);
  }

  private void when(String operation, Supplier<Call> call) {
    right.put(operation, call);
  }

  private void otherwise(String operation, int status, Supplier<Call> call) {
    byState.computeIfAbsent(operation, id -> new LinkedHashMap<>()).put(status, call);
  }

  private UUID done() {
    UUID task = admin.submit("hello", "{\"who\": \"ann\"}");
    admin.awaitTerminalOrBlocked(task);
    return task;
  }

  private UUID blocked() {
    UUID task = admin.submit("fail", "{\"way\": \"permanent\"}");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    return task;
  }

  private UUID held() {
    UUID task = admin.submit("retry_later", "{}");
    TaskerClient.until("the task waits", java.time.Duration.ofSeconds(20),
        () -> "waiting_for_retry".equals(admin.get("/v1/tasks/" + task).text("state")));
    return task;
  }

  /** A task that waits for the signal payment. */
  private UUID waiting() {
    assertThat(admin.postTemplate("""
        name: waits_for_payment
        namespace_name: contract
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - {name: pay, signal: {name: payment}}
        """).status()).isIn(200, 201);
    return admin.submit("contract", "waits_for_payment", "{}");
  }

  /** An approval that the administrator may decide. */
  private String asked() {
    assertThat(admin.postTemplate("""
        name: asks
        namespace_name: contract
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - name: ok
            approval:
              title: A question
              form: {type: object, properties: {limit: {type: integer}}}
              candidates: {users: [admin]}
              due: P1D
        """).status()).isIn(200, 201);
    UUID task = admin.submit("contract", "asks", "{}");
    return admin.get("/v1/approvals?task_uuid=" + task).object().getJsonArray("approvals")
        .getJsonObject(0).getString("approval_uuid");
  }

  private String decided() {
    String approval = asked();
    admin.post("/v1/approvals/" + approval + "/decide", TaskerClient.quoted("{'approved': false}"));
    return approval;
  }

  private Call aboutApproval(String operation, String approval) {
    return call(operation).path("approval_uuid", approval);
  }

  private void approvals() {
    when("listApprovals", () -> {
      asked();
      return call("listApprovals").query("mine", true).query("namespace", "contract")
          .query("title", "QUEST").query("limit", 5);
    });
    when("getApproval", () -> aboutApproval("getApproval", decided()));
    when("claimApproval", () -> aboutApproval("claimApproval", asked()));
    otherwise("claimApproval", 409, () -> aboutApproval("claimApproval", decided()));
    when("unclaimApproval", () -> aboutApproval("unclaimApproval", asked()));
    otherwise("unclaimApproval", 409, () -> aboutApproval("unclaimApproval", decided()));
    when("delegateApproval", () -> aboutApproval("delegateApproval", asked())
        .json("{'to': 'admin', 'note': 'ann asked'}"));
    otherwise("delegateApproval", 409,
        () -> aboutApproval("delegateApproval", decided()).json("{'to': 'admin'}"));
    when("decideApproval",
        () -> aboutApproval("decideApproval", asked())
            .json("{'approved': true, 'values': {'limit': 5}, 'comment': 'ann agrees'}"));
    otherwise("decideApproval", 409,
        () -> aboutApproval("decideApproval", decided()).json("{'approved': true}"));
    otherwise("decideApproval", 413,
        () -> aboutApproval("decideApproval", asked())
            .json("{'approved': true, 'values': {'x': '" + "x".repeat(66_000) + "'}}"));
  }

  private String correlationOf(UUID task) {
    return admin.get("/v1/tasks/" + task).text("correlation_id");
  }

  private Call signal(UUID task) {
    return aboutTask("sendSignal", task).path("name", "payment");
  }

  private Call aboutTask(String operation, UUID task) {
    return call(operation).path("task_uuid", task);
  }

  private Call aboutStep(String operation, UUID task) {
    return aboutTask(operation, task).path("step_uuid",
        admin.steps(task).values().iterator().next().getString("step_uuid"));
  }

  private void tasksAndSteps() {
    when("submitTask",
        () -> call("submitTask").query("wait", 5).body("application/json",
            TaskerClient.taskRequest("testing", "hello", "{'who': 'ann'}")));
    otherwise("submitTask", 409, () -> {
      String same = TaskerClient.taskRequest("testing", "strict_hello", "{'who': 'twice'}");
      admin.post("/v1/tasks", same);
      return call("submitTask").body("application/json", same);
    });
    otherwise("submitTask", 404,
        () -> call("submitTask").body("application/json",
            TaskerClient.taskRequest("testing", "nobody_knows", "{}")));
    otherwise("submitTask", 200, () -> {
      String same = TaskerClient.taskRequest("testing", "strict_hello", "{'who': 'once more'}");
      admin.post("/v1/tasks", same);
      return call("submitTask").body("application/json",
          same.replace("\"context\"", "\"on_duplicate\": \"return\", \"context\""));
    });
    when("submitTasks", () -> call("submitTasks").body("application/json", "["
        + TaskerClient.taskRequest("testing", "hello", "{'who': 'ann'}") + ","
        + TaskerClient.taskRequest("testing", "no", "{}") + "]"));
    when("listTasks",
        () -> call("listTasks").query("limit", 5).query("namespace", "testing")
            .query("sla_breached", false)
            .query("attribute", "order:A-17"));
    when("countTasks", () -> call("countTasks").query("namespace", "testing")
        .query("state_not", "cancelled").query("roots", true));
    when("listFailures",
        () -> call("listFailures").query("hours", 2).query("namespace", "testing"));
    when("listDomainEvents", () -> call("listDomainEvents").query("namespace", "testing")
        .query("type", "ann").query("limit", 5));
    when("listViews", () -> {
      saveView("of the contract");
      return call("listViews");
    });
    when("saveView",
        () -> call("saveView").json(
            "{'page': 'tasks', 'name': 'failed, by ann', 'query': 'state=error', 'namespace': 'testing'}"));
    otherwise("saveView", 404, () -> call("saveView")
        .json("{'page': 'tasks', 'name': 'failed', 'namespace': 'nobody_knows'}"));
    when("deleteView", () -> call("deleteView").path("view_uuid", saveView("to be deleted")));
    when("getTask", () -> aboutTask("getTask", held()).query("wait", 0));
    when("cancelTask",
        () -> aboutTask("cancelTask", held()).query("reason", "a test")
            .query("policy", "allow_finish").query("children", "cancel"));
    otherwise("cancelTask", 409, () -> aboutTask("cancelTask", done()));
    when("actOnTask",
        () -> aboutTask("actOnTask", blocked())
            .json("{'action_type': 'retry', " + WHO_AND_WHY + ", 'context': {'way': 'fine'}}"));
    otherwise("actOnTask", 409,
        () -> aboutTask("actOnTask", done()).json("{'action_type': 'fail', " + WHO_AND_WHY + "}"));
    when("forkTask", () -> aboutTask("forkTask", done())
        .json("{'from': ['" + admin.steps(done()).keySet().iterator().next() + "'], " + WHO_AND_WHY
            + "}"));
    otherwise("forkTask", 409, () -> {
      UUID grown = blocked();
      String step = admin.steps(grown).keySet().iterator().next();
      assertThat(
          admin.value("select tasker.add_steps('" + grown
              + "', '[{\"name\": \"extra\", \"step\": \"" + step + "\"}]') ->> 'outcome'"))
          .isEqualTo("done");
      return aboutTask("forkTask", grown).json("{'from': ['" + step + "'], " + WHO_AND_WHY + "}");
    });
    when("eraseTask", () -> aboutTask("eraseTask", done())
        .json("{" + WHO_AND_WHY + ", 'children': false, 'force': true}"));
    otherwise("eraseTask", 409,
        () -> aboutTask("eraseTask", held()).json("{" + WHO_AND_WHY + "}"));
    when("openTask", () -> aboutTask("openTask", done()).json("{" + WHO_AND_WHY + "}"));
    when("openStep", () -> aboutStep("openStep", blocked()).json("{" + WHO_AND_WHY + "}"));
    when("eraseTasks", () -> call("eraseTasks").json("{'namespace': 'testing', 'name': "
        + "'findable_hello', 'attribute': 'order', 'value': 'none', 'limit': 5, " + WHO_AND_WHY
        + "}"));
    otherwise("eraseTasks", 404, () -> call("eraseTasks").json(
        "{'namespace': 'nobody_knows', 'attribute': 'a', 'value': 'b', " + WHO_AND_WHY + "}"));
    when("listForks", () -> aboutTask("listForks", done()).query("limit", 5));
    when("sendSignal",
        () -> signal(waiting()).json("{'payload': {'by': 'ann'}, 'signal_id': 'p-1'}"));
    otherwise("sendSignal", 409, () -> signal(waiting()).path("name", "nobody_waits").json("{}"));
    otherwise("sendSignal", 413,
        () -> signal(waiting()).json("{'payload': '" + "x".repeat(66_000) + "'}"));
    when("sendSignalByCorrelation", () -> call("sendSignalByCorrelation").path("name", "payment")
        .json("{'correlation_id': '" + correlationOf(waiting())
            + "', 'payload': 'ann', 'limit': 2}"));
    otherwise("sendSignalByCorrelation", 409, () -> {
      String correlation = correlationOf(waiting());
      admin.post("/v1/tasks",
          TaskerClient.taskRequest("contract", "waits_for_payment", "{}").replace("\"context\"",
              "\"correlation_id\": \"" + correlation + "\", \"context\""));
      return call("sendSignalByCorrelation").path("name", "payment")
          .json("{'correlation_id': '" + correlation + "'}");
    });
    otherwise("sendSignalByCorrelation", 413,
        () -> call("sendSignalByCorrelation").path("name", "payment")
            .json("{'correlation_id': '" + correlationOf(waiting()) + "', 'payload': '"
                + "x".repeat(66_000) + "'}"));
    otherwise("sendSignalByCorrelation", 404,
        () -> call("sendSignalByCorrelation").path("name", "payment")
            .json("{'correlation_id': '" + UUID.randomUUID() + "'}"));
    when("diagnoseTask", () -> aboutTask("diagnoseTask", held()));
    when("listChildren", () -> aboutTask("listChildren", done()).query("limit", 10));
    when("getTaskHistory", () -> {
      UUID task = blocked();
      aboutTask("actOnTask", task).json("{'action_type': 'fail', " + WHO_AND_WHY + "}")
          .sendAs(admin);
      return aboutTask("getTaskHistory", task);
    });
    when("streamTaskEvents", () -> aboutTask("streamTaskEvents", done()));
    when("streamDomainEvents",
        () -> call("streamDomainEvents").query("namespace", "testing").query("type", "ann"));
    when("streamEvents",
        () -> call("streamEvents").query("namespace", "testing").query("kind", "task"));
    when("listSteps", () -> aboutTask("listSteps", blocked()));
    when("getStep", () -> aboutStep("getStep", blocked()));
    when("auditStep", () -> aboutStep("auditStep", blocked()));
    when("readTaskDocument", () -> aboutTask("readTaskDocument", blocked())
        .path("document", "context").query("limit", 3));
    when("readStepDocument", () -> aboutStep("readStepDocument", blocked())
        .path("document", "error").query("pointer", "/type"));
    when("actOnStep", () -> aboutStep("actOnStep", blocked())
        .json(
            "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'by hand', 'completion_data': {'result': [1]}}"));
    otherwise("actOnStep", 409,
        () -> aboutStep("actOnStep", done())
            .json("{'action_type': 'resolve_manually', 'resolved_by': 'ann', 'reason': 'late'}"));
  }

  private Call preview() {
    return call("previewBulkAction")
        .json("{'action_type': 'fail', " + WHO_AND_WHY
            + ", 'filter': {'namespace': 'contract', 'name': 'paused'}}");
  }

  private String inBackground() {
    return call("previewBulkAction").json("{'action_type': 'fail', " + WHO_AND_WHY
        + ", 'background': true, 'filter': {'namespace': 'contract', 'name': 'paused'}}")
        .sendAs(admin).text("token");
  }

  private String started() {
    String token = inBackground();
    call("runBulkAction").path("token", token).sendAs(admin);
    return token;
  }

  private Call entry(String operation) {
    return call(operation).path("dlq_entry_uuid",
        admin.get("/v1/dlq/task/" + blocked()).text("dlq_entry_uuid"));
  }

  private Call newSchedule(String name) {
    return call("createSchedule").json("{'namespace': 'contract', 'name': '" + name
        + "', 'template': 'known', 'context': {'a': 1}, "
        + "'cron': '0 3 1 1 *', 'zone': 'Europe/Berlin', 'tags': ['ann']}");
  }

  private Call aboutSchedule(String operation) {
    return call(operation).path("schedule_uuid",
        newSchedule("s" + own + ++number).sendAs(admin).text("schedule_uuid"));
  }

  private static final String PERIOD = "'from': '2026-01-01T00:00:00Z', 'to': '2026-02-01T00:00:00Z', ";

  private void schedules() {
    when("listSchedules", () -> {
      newSchedule("s" + own + ++number).sendAs(admin);
      return call("listSchedules");
    });
    when("createSchedule", () -> newSchedule("s" + own + ++number));
    otherwise("createSchedule", 409, () -> {
      newSchedule("twice" + own).sendAs(admin);
      return newSchedule("twice" + own);
    });
    otherwise("createSchedule", 404, () -> call("createSchedule")
        .json(
            "{'namespace': 'contract', 'name': 'of_nothing', 'template': 'nobody_knows', 'cron': '@daily'}"));
    when("previewFireTimes", () -> call("previewFireTimes").query("every_seconds", "60"));
    when("getSchedule", () -> aboutSchedule("getSchedule"));
    when("updateSchedule",
        () -> aboutSchedule("updateSchedule")
            .json("{'version': 1, 'template': 'known', 'every_seconds': 86400, 'tags': ['ann']}"));
    otherwise("updateSchedule", 409,
        () -> aboutSchedule("updateSchedule")
            .json("{'version': 7, 'template': 'known', 'every_seconds': 86400}"));
    when("deleteSchedule",
        () -> aboutSchedule("deleteSchedule").query("requested_by", "ann").query("reason", "test"));
    when("pauseSchedule", () -> aboutSchedule("pauseSchedule").json("{" + WHO_AND_WHY + "}"));
    when("resumeSchedule", () -> aboutSchedule("resumeSchedule").json("{" + WHO_AND_WHY + "}"));
    when("triggerSchedule", () -> aboutSchedule("triggerSchedule").json("{" + WHO_AND_WHY + "}"));
    when("listScheduleFires", () -> {
      Call trigger = aboutSchedule("triggerSchedule").json("{" + WHO_AND_WHY + "}");
      return call("listScheduleFires").path("schedule_uuid",
          trigger.sendAs(admin).text("schedule_uuid"));
    });
    when("backfillSchedule",
        () -> aboutSchedule("backfillSchedule").json("{" + PERIOD + WHO_AND_WHY + "}"));
    otherwise("backfillSchedule", 200, () -> aboutSchedule("backfillSchedule")
        .json("{'dry_run': true, " + PERIOD + WHO_AND_WHY + "}"));
    when("listBackfills", () -> call("listBackfills").path("schedule_uuid",
        aboutSchedule("backfillSchedule").json("{" + PERIOD + WHO_AND_WHY + "}").sendAs(admin)
            .text("schedule_uuid")));
    when("cancelBackfill", () -> {
      var backfill = aboutSchedule("backfillSchedule").json("{" + PERIOD + WHO_AND_WHY + "}")
          .sendAs(admin);
      return call("cancelBackfill").path("schedule_uuid", backfill.text("schedule_uuid"))
          .path("backfill_uuid", backfill.text("backfill_uuid"))
          .query("requested_by", "ann").query("reason", "test");
    });
  }

  /** A namespace has a hundred at most: those of earlier scenarios go. */
  private Call newWebhook(String name) {
    if (++madeWebhooks % 50 == 0) {
      admin.sql(
          "select tasker.change_webhook(webhook_uuid, 'delete', 'test', 'makes room') from tasker.webhooks "
              + "where namespace_name = 'contract' and deleted_at is null");
    }
    return call("createWebhook")
        .json("{'namespace': 'contract', 'name': '" + name + "', 'url': 'http://127.0.0.1:1/in', "
            + "'event_types': ['order.paid'], 'description': 'for ann', 'max_attempts': 1}");
  }

  private int madeWebhooks;

  private Call aboutWebhook(String operation) {
    return call(operation).path("webhook_uuid",
        newWebhook("w" + own + ++number).sendAs(admin).text("webhook_uuid"));
  }

  /** About a ping that failed: nothing listens at its address. */
  private Call aboutDelivery(String operation) {
    var ping = aboutWebhook("pingWebhook").json("{" + WHO_AND_WHY + "}").sendAs(admin);
    String path = "/v1/webhooks/" + ping.text("webhook_uuid") + "/deliveries/"
        + ping.text("delivery_uuid");
    TaskerClient.until("the ping has failed", java.time.Duration.ofSeconds(30),
        () -> "dead".equals(admin.get(path).text("state")));
    return call(operation).path("webhook_uuid", ping.text("webhook_uuid")).path("delivery_uuid",
        ping.text("delivery_uuid"));
  }

  private void webhooks() {
    when("listWebhooks", () -> {
      newWebhook("w" + own + ++number).sendAs(admin);
      return call("listWebhooks");
    });
    when("createWebhook", () -> newWebhook("w" + own + ++number));
    otherwise("createWebhook", 409, () -> {
      newWebhook("twice" + own).sendAs(admin);
      return newWebhook("twice" + own);
    });
    when("getWebhook", () -> aboutWebhook("getWebhook"));
    when("updateWebhook",
        () -> aboutWebhook("updateWebhook")
            .json("{'version': 1, 'url': 'http://127.0.0.1:1/other', 'description': 'of ann'}"));
    otherwise("updateWebhook", 409, () -> aboutWebhook("updateWebhook")
        .json("{'version': 7, 'url': 'http://127.0.0.1:1/other'}"));
    when("deleteWebhook",
        () -> aboutWebhook("deleteWebhook").query("requested_by", "ann").query("reason", "test"));
    when("pauseWebhook", () -> aboutWebhook("pauseWebhook").json("{" + WHO_AND_WHY + "}"));
    when("resumeWebhook", () -> aboutWebhook("resumeWebhook").json("{" + WHO_AND_WHY + "}"));
    when("rotateWebhookSecret", () -> aboutWebhook("rotateWebhookSecret")
        .json("{'overlap_seconds': 60, " + WHO_AND_WHY + "}"));
    when("pingWebhook", () -> aboutWebhook("pingWebhook").json("{" + WHO_AND_WHY + "}"));
    when("replayWebhook",
        () -> aboutWebhook("replayWebhook").json("{'from': 'beginning', " + WHO_AND_WHY + "}"));
    when("listWebhookDeliveries", () -> call("listWebhookDeliveries").path("webhook_uuid",
        aboutWebhook("pingWebhook").json("{" + WHO_AND_WHY + "}").sendAs(admin)
            .text("webhook_uuid")));
    when("getWebhookDelivery", () -> aboutDelivery("getWebhookDelivery"));
    when("retryWebhookDelivery",
        () -> aboutDelivery("retryWebhookDelivery").json("{" + WHO_AND_WHY + "}"));
    when("discardWebhookDelivery",
        () -> aboutDelivery("discardWebhookDelivery").json("{" + WHO_AND_WHY + "}"));
  }

  private Call policy() {
    return call("setConcurrencyLimit").path("policy_uuid",
        admin.value(
            "select policy_uuid from tasker.concurrency_policies where namespace_name = 'contract' limit 1"));
  }

  private void operations() {
    when("previewBulkAction", this::preview);
    when("runBulkAction",
        () -> call("runBulkAction").path("token", preview().sendAs(admin).text("token")));
    otherwise("runBulkAction", 202, () -> call("runBulkAction").path("token", inBackground()));
    when("listBulkActions", () -> {
      started();
      return call("listBulkActions").query("limit", 2);
    });
    when("getBulkAction", () -> call("getBulkAction").path("token", started()));
    when("listBulkActionTasks",
        () -> call("listBulkActionTasks").path("token", started()).query("outcome", "refused"));
    when("cancelBulkAction", () -> call("cancelBulkAction").path("token", started()));
    otherwise("cancelBulkAction", 409,
        () -> call("cancelBulkAction").path("token", inBackground()));
    otherwise("runBulkAction", 409, () -> {
      blocked();
      Call set = call("previewBulkAction").json("{'action_type': 'retry', " + WHO_AND_WHY
          + ", 'filter': {'namespace': 'testing', 'name': 'fail', 'state': 'blocked_by_failures'}}");
      String token = set.sendAs(admin).text("token");
      blocked();
      return call("runBulkAction").path("token", token);
    });
    when("listPauses", () -> {
      right.get("pause").get().sendAs(admin);
      return call("listPauses");
    });
    when("pause", () -> call("pause")
        .json("{'namespace': 'contract', 'name': 'paused', " + WHO_AND_WHY + "}"));
    otherwise("pause", 404,
        () -> call("pause").json("{'namespace': 'nowhere', " + WHO_AND_WHY + "}"));
    when("resume",
        () -> call("resume").query("namespace", "contract").query("name", "paused")
            .query("requested_by", "ann").query("reason", "a test"));
    otherwise("resume", 404, () -> call("resume").query("namespace", "nowhere")
        .query("requested_by", "ann").query("reason", "a test"));
    when("listConcurrencyPolicies", () -> {
      admin.post("/v1/tasks", TaskerClient.taskRequest("contract", "limited", "{}"));
      return call("listConcurrencyPolicies").query("namespace", "contract").query("entries", 3);
    });
    when("setConcurrencyLimit", () -> policy().json("{'limit': null, " + WHO_AND_WHY + "}"));
    when("getRetention", () -> call("getRetention"));
    when("previewRetention", () -> call("previewRetention"));
    when("setRetentionPolicy", () -> call("setRetentionPolicy")
        .json(
            "{'namespace': 'contract', 'name': 'known', 'state': 'complete', 'keep_days': 3, 'dry_run': true, "
                + WHO_AND_WHY + "}"));
    otherwise("setRetentionPolicy", 404,
        () -> call("setRetentionPolicy")
            .json("{'namespace': 'nowhere', 'keep_days': 3, " + WHO_AND_WHY + "}"));
    when("listDeadLetters",
        () -> call("listDeadLetters").query("limit", 2).query("resolution_status", "pending"));
    when("openDeadLetter",
        () -> call("openDeadLetter").json("{'task_uuid': '" + done() + "', " + WHO_AND_WHY + "}"));
    otherwise("openDeadLetter", 200, () -> {
      Call open = right.get("openDeadLetter").get();
      open.sendAs(admin);
      return open;
    });
    otherwise("openDeadLetter", 404, () -> call("openDeadLetter")
        .json("{'task_uuid': '" + UUID.randomUUID() + "', " + WHO_AND_WHY + "}"));
    when("getDeadLetterOfTask", () -> aboutTask("getDeadLetterOfTask", blocked()));
    when("getDeadLetter", () -> entry("getDeadLetter"));
    when("updateDeadLetter", () -> entry("updateDeadLetter")
        .json(
            "{'resolution_status': 'manually_resolved', 'resolved_by': 'ann', 'resolution_notes': 'done', 'metadata': {'ticket': 7}}"));
    otherwise("updateDeadLetter", 409, () -> {
      Call update = right.get("updateDeadLetter").get();
      update.sendAs(admin);
      return update.json(
          "{'resolution_status': 'cancelled', 'resolved_by': 'bob', 'resolution_notes': 'no'}");
    });
    when("getDeadLetterStatistics", () -> call("getDeadLetterStatistics"));
    when("getInvestigationQueue", () -> call("getInvestigationQueue").query("limit", 5));
    when("getStaleness", () -> call("getStaleness").query("limit", 5));
    when("listDeadMessages", () -> {
      deadMessage();
      return call("listDeadMessages").query("limit", 2).query("replayed", false);
    });
    when("replayDeadMessage", () -> call("replayDeadMessage")
        .path("dead_message_uuid", deadMessage()).query("requested_by", "ann"));
  }

  private Object deadMessage() {
    return admin.value(
        "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause, message) "
            + "values ('orchestration_step_results', 0, 5, now(), 'a test', '{\"odd\": true}') returning dead_message_uuid");
  }

  private String saveView(String name) {
    return admin
        .post("/v1/views",
            TaskerClient
                .quoted("{'page': 'tasks', 'name': '" + name + "', 'query': 'state=error'}"))
        .text("view_uuid");
  }

  private void templates() {
    when("listTemplates", () -> call("listTemplates").query("namespace", "contract"));
    when("registerTemplate", () -> call("registerTemplate").body("application/yaml",
        template("made_" + own + "_" + number++, "by ann")));
    otherwise("registerTemplate", 200,
        () -> call("registerTemplate").body("application/yaml", template("known", "stays")));
    otherwise("registerTemplate", 400,
        () -> call("registerTemplate").body("application/yaml", "name: nothing else"));
    otherwise("registerTemplate", 409,
        () -> call("registerTemplate").body("application/yaml", template("known", "changed")));
    when("validateTemplate",
        () -> call("validateTemplate").body("application/json", "{\"name\": 7}"));
    when("getTemplate", () -> call("getTemplate").path("namespace", "contract")
        .path("name", "known").path("version", "1.0.0"));
  }

  private void insight() {
    when("listQueues", () -> call("listQueues"));
    when("listHandlers", () -> call("listHandlers"));
    when("getPerformance", () -> call("getPerformance").query("hours", 2));
    when("getSystemHealth", () -> call("getSystemHealth"));
    when("getBottlenecks", () -> call("getBottlenecks").query("hours", 2).query("limit", 3)
        .query("min_executions", 1));
    when("getTimeline",
        () -> call("getTimeline").query("minutes", 5).query("namespace", "testing"));
    when("listWriteRequests",
        () -> call("listWriteRequests").query("limit", 20).query("route", "/v1/tasks/{task_uuid}"));
    for (String open : List.of("getMe", "getMetrics", "getOpenApi", "getOpenApiYaml",
        "getLandingPage", "getHealth", "getLiveness",
        "getReadiness", "getStartup")) {
      when(open, () -> call(open));
    }
  }

  private Call thisServer(String operation) {
    return call(operation).path("server_uuid",
        admin.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0)
            .getString("server_uuid"));
  }

  private void server() {
    when("listServers", () -> call("listServers"));
    when("describeServer", () -> thisServer("describeServer"));
    otherwise("describeServer", 409,
        () -> call("describeServer").path("server_uuid", UUID.randomUUID()));
    when("changeServer",
        () -> thisServer("changeServer").json("{'draining': false, " + WHO_AND_WHY + "}"));
    otherwise("changeServer", 409,
        () -> call("changeServer").path("server_uuid", UUID.randomUUID())
            .json("{'draining': false, " + WHO_AND_WHY + "}"));
  }

  private Call newWorker() {
    return call("registerWorker")
        .json(
            "{'name': 'ann', 'capacity': 2, 'namespaces': ['contract'], 'handlers': ['contract.None'], 'heartbeat_seconds': 300}");
  }

  private Call aboutWorker(String operation) {
    return call(operation).path("worker_uuid", newWorker().sendAs(admin).text("worker_uuid"));
  }

  /**
   * A step that a new worker holds, with the worker's uuid as {@code worker}; its ancestor is named
   * first.
   */
  private JsonObject claimedStep() {
    assertThat(admin.postTemplate(template("worked", "by a worker outside the servers") + """
          - name: second
            dependencies: [first]
            handler: {callable: testing.Echo}
          - name: third
            dependencies: [second]
            handler: {callable: contract.Worked}
        """).status()).isIn(200, 201);
    String worker = admin
        .post("/v1/workers",
            TaskerClient.quoted("{'name': 'ann', 'capacity': 1, 'namespaces': ['contract'], "
                + "'handlers': ['contract.Worked'], 'heartbeat_seconds': 300}"))
        .text("worker_uuid");
    admin.submit("contract", "worked", "{}");
    JsonObject step = admin
        .post("/v1/workers/" + worker + "/claims", TaskerClient.quoted("{'wait_seconds': 30}"))
        .list("steps").get(0);
    return Json.createObjectBuilder(step).add("worker", worker).build();
  }

  /** A step that an external worker holds and that follows from a batch of two. */
  private JsonObject claimedReport() {
    assertThat(admin.postTemplate("""
        name: reported
        namespace_name: contract
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: cut, type: batchable, batch_config: {worker_template: load, items: "$.context.rows[*]"}}
          - {name: load, type: batch_worker, dependencies: [cut], handler: {callable: testing.Echo}, batch_config: {worker_template: load}}
          - {name: report, dependencies: [load], handler: {callable: contract.Reported}}
        """).status()).isIn(200, 201);
    String worker = admin
        .post("/v1/workers",
            TaskerClient.quoted("{'name': 'ann', 'capacity': 1, 'namespaces': ['contract'], "
                + "'handlers': ['contract.Reported'], 'heartbeat_seconds': 300}"))
        .text("worker_uuid");
    admin.submit("contract", "reported", TaskerClient.quoted("{'rows': [1, 2]}"));
    JsonObject step = admin
        .post("/v1/workers/" + worker + "/claims", TaskerClient.quoted("{'wait_seconds': 30}"))
        .list("steps").get(0);
    return Json.createObjectBuilder(step).add("worker", worker).build();
  }

  private void workers() {
    when("listWorkers", () -> call("listWorkers"));
    when("registerWorker", this::newWorker);
    otherwise("registerWorker", 200, () -> {
      String worker = newWorker().sendAs(admin).text("worker_uuid");
      return call("registerWorker")
          .json("{'worker_uuid': '" + worker
              + "', 'name': 'again', 'capacity': 1, 'handlers': ['contract.None']}");
    });
    otherwise("registerWorker", 409, () -> {
      String worker = newWorker().sendAs(admin.asOneWhoMay(List.of("steps:work")))
          .text("worker_uuid");
      return call("registerWorker").json("{'worker_uuid': '" + worker
          + "', 'name': 'mine', 'capacity': 1, 'handlers': ['contract.None']}");
    });
    when("describeWorker", () -> aboutWorker("describeWorker"));
    when("drainWorker", () -> aboutWorker("drainWorker"));
    when("claimSteps", () -> aboutWorker("claimSteps").json("{'max': 2, 'request_id': 'ann'}"));
    otherwise("claimSteps", 409, () -> {
      Call drained = aboutWorker("drainWorker");
      return call("claimSteps").path("worker_uuid", drained.sendAs(admin).text("worker_uuid"))
          .json("{}");
    });
    when("submitResults", () -> aboutWorker("submitResults")
        .json("{'results': [{'step_uuid': '" + UUID.randomUUID()
            + "', 'handoff': 1, 'outcome': 'success', 'result': 1}], 'claims': {'max': 1}}"));
    when("saveCheckpoints", () -> aboutWorker("saveCheckpoints")
        .json("{'checkpoints': [{'step_uuid': '" + UUID.randomUUID()
            + "', 'handoff': 1, 'checkpoint': {'row': 7}}]}"));
    when("getAncestorResults", () -> {
      JsonObject step = claimedStep();
      return call("getAncestorResults").path("worker_uuid", step.getString("worker"))
          .path("step_uuid", step.getString("step_uuid"))
          .query("name", "first");
    });
    otherwise("getAncestorResults", 404,
        () -> aboutWorker("getAncestorResults").path("step_uuid", UUID.randomUUID()).query("name",
            "first"));
    when("listBatchResults", () -> {
      JsonObject step = claimedReport();
      return call("listBatchResults").path("worker_uuid", step.getString("worker"))
          .path("step_uuid", step.getString("step_uuid"))
          .query("name", "load").query("limit", "1");
    });
    otherwise("listBatchResults", 404,
        () -> aboutWorker("listBatchResults").path("step_uuid", UUID.randomUUID()).query("name",
            "first"));
    when("heartbeatWorker",
        () -> aboutWorker("heartbeatWorker")
            .json("{'steps': [{'step_uuid': '" + UUID.randomUUID() + "', 'handoff': 1}]}"));
  }

  /** One for all: passwords are slow. */
  private String user() {
    if (user == null) {
      user = call("createUser")
          .json("{'name': 'contract " + UUID.randomUUID()
              + "', 'grants': [{'role': 'viewer', 'namespace': 'contract'}]}")
          .sendAs(admin)
          .text("user_uuid");
    }
    return user;
  }

  private String newKey() {
    return call("createKey")
        .json(
            "{'name': 'contract', 'expires_in_seconds': 60, 'grants': [{'permission': 'tasks:*'}]}")
        .sendAs(admin)
        .text("key_uuid");
  }

  private void access() {
    when("listUsers", () -> call("listUsers"));
    when("createUser",
        () -> call("createUser").json("{'name': 'contract " + UUID.randomUUID() + "'}"));
    otherwise("createUser", 409, () -> call("createUser").json("{'name': 'ADMIN'}"));
    when("changeUser",
        () -> call("changeUser").path("user_uuid", user()).json("{'enabled': false}"));
    when("listKeys", () -> {
      newKey();
      return call("listKeys");
    });
    when("createKey",
        () -> call("createKey").json("{'name': 'contract', 'grants': [{'role': 'viewer'}]}"));
    when("revokeKey", () -> call("revokeKey").path("key_uuid", newKey()));
    when("grant", () -> call("grant").json(
        "{'user_uuid': '" + user() + "', 'permission': 'tasks:read', 'namespace': 'contract'}"));
    otherwise("grant", 404,
        () -> call("grant").json("{'key_uuid': '" + UUID.randomUUID() + "', 'role': 'viewer'}"));
    when("revokeGrant", () -> call("revokeGrant").path("grant_uuid",
        call("grant").json("{'user_uuid': '" + user() + "', 'permission': 'tasks:read'}")
            .sendAs(admin).text("grant_uuid")));
    when("listRoles", () -> call("listRoles"));
    when("signIn", () -> call("signIn"));
    otherwise("signIn", 403, () -> call("signIn").header("Authorization", "ApiKey "
        + call("createKey").json(
            "{'name': 'contract', 'expires_in_seconds': 60, 'grants': [{'permission': 'tasks:*'}]}")
            .sendAs(admin)
            .text("key")));
    when("signOut", () -> call("signOut"));
  }
}
