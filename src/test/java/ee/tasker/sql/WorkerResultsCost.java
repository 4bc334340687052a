package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a step of a worker over HTTP costs the database, beside a step of a server's own worker:
 * processor time of one connection, in
 * batches of 50. By hand: {@code -Dtest=WorkerResultsCost -Dtasks=500 -Drounds=4}; needs /proc.
 */
@DatabaseTest
class WorkerResultsCost {
  private static final int STEPS = 4;
  private static final int BATCH = 50;
  private static final String OWNER = "user:ann";

  private final Sql sql = Sql.open();

  @Test
  void steps_of_a_server_and_of_a_worker_over_http() {
    int tasks = Integer.getInteger("tasks", 500);
    Dag.Template template = Dag.linear(STEPS).registered();
    System.out.printf("%d linear tasks of %d steps, batches of %d; database's CPU ms a step%n",
        tasks, STEPS, BATCH);
    for (int round = 0; round < Integer.getInteger("rounds", 4); round++) {
      double server = measure(template, tasks, this::asServer);
      double worker = measure(template, tasks, this::asWorker);
      System.out.printf("round %d: server %.3f, worker over HTTP %.3f: %.2f times%n", round, server,
          worker, worker / server);
      for (int most : List.of(BATCH, 5)) {
        double alone = measure(template, tasks, () -> asTenWorkers(1, most));
        double together = measure(template, tasks, () -> asTenWorkers(4, most));
        System.out.printf(
            "         ten workers, batches of %d: each its own call %.3f, four in a call %.3f: %.2f times%n",
            most, alone, together, together / alone);
      }
    }
  }

  private double measure(Dag.Template template, int tasks, Runnable work) {
    for (int n = 0; n < tasks; n++) {
      sql.text("select tasker.submit_task(?, ?, ?, jsonb_build_object('n', ?::text))",
          template.namespace(), template.name(), template.version(), UUID.randomUUID().toString());
    }
    sql.text("select count(*) from tasker.advance_due_tasks(?, 10000)", UUID.randomUUID());
    long before = ticks();
    work.run();
    double took = (ticks() - before) * 10.0 / tasks / STEPS;
    assertThat(sql.number("select count(*) from tasker.tasks where state <> 'complete'")).isZero();
    return took;
  }

  private void asServer() {
    UUID server = UUID.randomUUID();
    JsonArray claimed = sql.array("select tasker.claim_steps(?, ?, null, 60)", server, BATCH);
    while (!claimed.isEmpty()) {
      JsonArrayBuilder results = Json.createArrayBuilder();
      for (Claim claim : SqlWorker.claims(claimed)) {
        results.add(result(claim).add("task_uuid", claim.task().toString()));
      }
      claimed = sql
          .object("select tasker.complete_steps(?, ?, ?, null, 60, true, true)", results.build(),
              server, BATCH)
          .getJsonArray("claimed_steps");
    }
  }

  private JsonObject register() {
    UUID worker = UUID.randomUUID();
    sql.object("select tasker.register_worker(?::jsonb, null, ?, 'ann')",
        Json.createObjectBuilder().add("worker_uuid", worker.toString())
            .add("name", "w").add("capacity", BATCH)
            .add("handlers", Json.createArrayBuilder(List.of("test.handler"))).build(),
        OWNER);
    return Json.createObjectBuilder().add("worker_uuid", worker.toString()).add("owner", OWNER)
        .add("max", BATCH).build();
  }

  private JsonArray claim(JsonObject claims) {
    return sql
        .array("select tasker.claim_steps_for_workers(?::jsonb, 60)",
            Json.createArrayBuilder().add(claims).build())
        .getJsonObject(0).getJsonArray("claimed_steps");
  }

  private static JsonArray results(JsonArray claimed) {
    JsonArrayBuilder results = Json.createArrayBuilder();
    SqlWorker.claims(claimed).forEach(claim -> results.add(result(claim)));
    return results.build();
  }

  private void asWorker() {
    JsonObject claims = register();
    JsonArray claimed = claim(claims);
    while (!claimed.isEmpty()) {
      claimed = sql
          .object("select tasker.submit_worker_results(?, ?, ?::jsonb, ?::jsonb, 60, true)",
              UUID.fromString(claims.getString("worker_uuid")), OWNER, results(claimed), claims)
          .getJsonArray("claimed_steps");
    }
  }

  /** Ten workers, whose results go in a call of their own, or four in one call. */
  private void asTenWorkers(int inACall, int most) {
    List<JsonObject> workers = Stream
        .generate(() -> Json.createObjectBuilder(register()).add("max", most).build()).limit(10)
        .toList();
    Map<JsonObject, JsonArray> claimed = new LinkedHashMap<>();
    workers.forEach(worker -> claimed.put(worker, claim(worker)));
    while (claimed.values().stream().anyMatch(steps -> !steps.isEmpty())) {
      List<JsonObject> ready = workers.stream().filter(worker -> !claimed.get(worker).isEmpty())
          .toList();
      for (int from = 0; from < ready.size(); from += inACall) {
        List<JsonObject> together = ready.subList(from, Math.min(from + inACall, ready.size()));
        JsonArrayBuilder requests = Json.createArrayBuilder();
        together.forEach(
            worker -> requests.add(Json.createObjectBuilder(worker)
                .add("results", results(claimed.get(worker))).add("claims", worker)));
        List<JsonObject> replies = inACall == 1
            ? List.of(sql.object(
                "select tasker.submit_worker_results(?, ?, ?::jsonb, ?::jsonb, 60, true)",
                UUID.fromString(together.get(0).getString("worker_uuid")), OWNER,
                results(claimed.get(together.get(0))), together.get(0)))
            : sql.array("select tasker.submit_results_of_workers(?::jsonb, 60, true)",
                requests.build()).getValuesAs(JsonObject.class);
        for (int i = 0; i < together.size(); i++) {
          claimed.put(together.get(i), replies.get(i).getJsonArray("claimed_steps"));
        }
      }
      workers.stream().filter(worker -> claimed.get(worker).isEmpty())
          .forEach(worker -> claimed.put(worker, claim(worker)));
    }
  }

  private static jakarta.json.JsonObjectBuilder result(Claim claim) {
    return Json.createObjectBuilder().add("step_uuid", claim.step().toString())
        .add("handoff", claim.handoff()).add("outcome", "success")
        .add("result", Json.createObjectBuilder()).add("execution_time_ms", 0);
  }

  /** Of the connection, in hundredths of a second. */
  private long ticks() {
    try {
      String stat = Files.readString(Path.of("/proc", sql.text("select pg_backend_pid()"), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
