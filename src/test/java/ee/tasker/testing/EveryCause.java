package ee.tasker.testing;

import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Tasks with steps that wait for every cause that the diagnosis knows, each in a namespace of its
 * own. No server works on them.
 */
public final class EveryCause {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();
  private final Map<String, UUID> tasks = new LinkedHashMap<>();

  public EveryCause() {
    aServer(List.of("offered", "unknown_handler"), List.of("s1"));
    started("no_server", Dag.linear(2));
    started("offered", Dag.of("s1").handler("s1"));
    started("unknown_handler", Dag.of("x").handler("elsewhere"));
    Dag.Task failed = started("failed", Dag.of("a").step("b").step("c").dependsOn("b"));
    worker.forNamespaces("failed");
    worker.complete(0, worker.claim(2).stream()
        .map(claim -> claim.step().equals(failed.step("a")) ? claim.permanentFailure()
            : claim.success())
        .toList());
    started("running", Dag.diamond());
    claim("running");
    started("cancelling", Dag.of("a"));
    claim("cancelling");
    sql.text("select tasker.request_cancel(?, 'bob', 'why not')", tasks.get("cancelling"));
    started("expired", Dag.of("a"));
    Claim expired = claim("expired");
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 s' where workflow_step_uuid = ?",
        expired.step());
    started("submitted", Dag.of("a"));
    worker.submitResults(claim("submitted").success());
    started("yielded", Dag.of("a"));
    worker.complete(claim("yielded").yielded("{\"row\": 1}", 3_600_000));
    tasks.put("not_checked",
        Dag.of("a").inNamespace("not_checked").withInputSchema().submitted().uuid());
    started("delayed",
        Dag.linear(2).option("start_at", Instant.now().plusSeconds(7_200).toString()));
    started("timer", Dag.of("sleep").waitingOnly("{\"wait\": {\"for\": \"PT2H\"}}").step("b")
        .dependsOn("sleep"));
    started("signal", Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}"));
    started("approval",
        Dag.of("ok").waitingOnly(
            "{\"approval\": {\"title\": \"t\", \"candidates\": {\"users\": [\"ann\"], \"roles\": "
                + "[\"clerk\"]}, \"due\": \"P1D\"}}"));
    Dag.Template leaf = Dag.of("x").inNamespace("leaf").registered();
    String call = "{\"task\": {\"namespace\": \"leaf\", \"name\": \"" + leaf.name() + "\"}}";
    started("child", Dag.of("sub").waitingOnly(call));
    Dag.Task retried = started("child_retry",
        Dag.of("sub").waitingOnly(
            call.replace("}}",
                "}, \"retry\": {\"max_attempts\": 2, \"backoff_base_ms\": 3600000, \"max_backoff_ms\": 3600000}}")));
    UUID child = sql.uuid("select child_task_uuid from tasker.step_waits where task_uuid = ?",
        retried.uuid());
    worker.forNamespaces("leaf").claim(2).forEach(claim -> {
      if (claim.task().equals(child)) {
        worker.complete(claim.permanentFailure());
      }
    });
    worker.advance();
    sql.object("select tasker.evaluate_tasks(array[?], null)", retried.uuid());
    Dag limited = Dag.of("a").stepPolicy("{\"limit\": 1, \"key\": \"/customer\"}")
        .context("{\"customer\": \"Holmes\"}");
    UUID holder = started("slot", limited).uuid();
    started("slot", limited);
    tasks.put("holds_slot", holder);
    worker.advance();
    started("batch",
        Dag.of("cut").batchable().step("work").dependsOn("cut").batchWorker("{\"parallelism\": 2}")
            .step("join")
            .dependsOn("work"));
    worker.complete(claim("batch").batches(30));
    pauses();
    Dag.Task undone = started("undone",
        Dag.of("a").compensatedBy("undo", 2).step("b").dependsOn("a").step("c").maxAttempts(1));
    worker.complete(claim("undone").success());
    sql.text("select tasker.act_on_task(?, 'compensate', 'ann', 'undo it')", undone.uuid());
    // After the last time that an orchestrator looks.
    Dag.Task retry = started("retry", Dag.of("a").step("b").step("c").dependsOn("b"));
    worker.forNamespaces("retry");
    for (Claim claim : worker.claim(2)) {
      worker.complete(claim.retryableFailure(claim.step().equals(retry.step("a")) ? 3_600_000 : 0));
    }
    tasks.put("not_started", Dag.of("a").inNamespace("not_started").submitted().uuid());
    started("done", Dag.of("a"));
    worker.complete(claim("done").success());
  }

  /**
   * One step waits for the end of the pause; of a task whose pause has ended since, no orchestrator
   * has seen it.
   */
  private void pauses() {
    Dag dag = Dag.of("a").step("b").dependsOn("a");
    for (String namespace : List.of("ready", "paused")) {
      started(namespace, dag);
      Claim claim = claim(namespace);
      ann.pause(namespace, null);
      worker.complete(claim.success());
    }
    ann.resume("ready", null);
  }

  private Dag.Task started(String namespace, Dag dag) {
    Dag.Task task = dag.inNamespace(namespace).started();
    tasks.put(namespace, task.uuid());
    return task;
  }

  private Claim claim(String namespace) {
    return worker.forNamespaces(namespace).claimOne();
  }

  private void aServer(List<String> namespaces, List<String> handlers) {
    sql.run(
        "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, heartbeat_seconds, namespaces, handlers) "
            + "values (gen_random_uuid(), 'blue', 0, 10, now() + interval '1 hour', 900, ?, ?)",
        namespaces, handlers);
  }

  /** By the namespace, which mostly is the name of the cause. */
  public Map<String, UUID> tasks() {
    return Map.copyOf(tasks);
  }

  /** Other tests find no pause. */
  public void resume() {
    ann.resume("paused", null);
  }
}
