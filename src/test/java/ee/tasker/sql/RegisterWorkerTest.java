package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.Collections;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** External workers: programs outside the servers that run steps. */
@DatabaseTest
@DatabaseTest.Covers({"heartbeat_worker", "renew_leases", "get_workers", "get_available_workers"})
class RegisterWorkerTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant start = Instant.now();

  private JsonObject register(String fields, int seconds) {
    return sql.object(
        "select tasker.register_worker(jsonb_build_object('worker_uuid', ?::uuid) || ?::jsonb, ?)",
        worker.uuid(), fields, start.plusSeconds(seconds));
  }

  private JsonObject register(String fields) {
    return register(fields, 0);
  }

  private JsonObject beat(int seconds, String state, Claim... claims) {
    var steps = Json.createArrayBuilder();
    for (Claim claim : claims) {
      steps.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("handoff",
          claim.handoff()));
    }
    return sql.object("select tasker.heartbeat_worker(?, ?, ?, ?, 60, ?)", worker.uuid(),
        claims.length, steps.build(), state, start.plusSeconds(seconds));
  }

  private String row() {
    return sql.text("select w::text from tasker.workers w");
  }

  @Test
  void a_registered_worker_is_given_the_steps_of_its_handlers_and_completes_them() {
    Dag template = Dag.of("a").handler("python.a").step("b").dependsOn("a").handler("python.b")
        .step("c").dependsOn("a").handler("java.c");
    template.registered();
    JsonObject registered = register(
        "{\"name\": \"py-1\", \"capacity\": 4, \"handlers\": [\"python.a\", \"python.b\"]}");
    assertThat(registered.getString("outcome")).isEqualTo("registered");
    assertThat(registered.getInt("heartbeat_seconds")).isEqualTo(10);
    Dag.Task task = template.started();

    Claim first = worker.claimOne();
    assertThat(first.step()).isEqualTo(task.step("a"));
    JsonObject completed = worker.complete(10, java.util.List.of(first.success()));

    assertThat(SqlWorker.claims(completed.getJsonArray("claimed_steps"))).extracting(Claim::step)
        .containsExactly(task.step("b"));
    assertThatStep(task.step("c")).isIn("enqueued");
    assertThat(sql.texts(
        "select name || ' ' || health || ' ' || capacity || ' ' || coalesce(server_uuid::text, 'external') from tasker.get_workers()"))
        .containsExactly("py-1 healthy 4 external");
    assertThat(sql.object("select tasker.get_server_documents()").getJsonArray("workers"))
        .hasSize(1);
    assertThat(sql.object("select tasker.get_server_documents()").getJsonArray("servers"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
    "name | {'name': ' ', 'capacity': 1, 'handlers': ['a']}",
    "name | {'capacity': 1, 'handlers': ['a']}",
    "name | {'name': 7, 'capacity': 1, 'handlers': ['a']}",
    "capacity | {'name': 'w', 'handlers': ['a']}",
    "capacity | {'name': 'w', 'capacity': 0, 'handlers': ['a']}",
    "capacity | {'name': 'w', 'capacity': 10001, 'handlers': ['a']}",
    "capacity | {'name': 'w', 'capacity': 1.5, 'handlers': ['a']}",
    "capacity | {'name': 'w', 'capacity': '4', 'handlers': ['a']}",
    "handlers | {'name': 'w', 'capacity': 1}",
    "handlers | {'name': 'w', 'capacity': 1, 'handlers': null}",
    "handlers | {'name': 'w', 'capacity': 1, 'handlers': []}",
    "handlers | {'name': 'w', 'capacity': 1, 'handlers': 'a'}",
    "handlers | {'name': 'w', 'capacity': 1, 'handlers': ['']}",
    "handlers | {'name': 'w', 'capacity': 1, 'handlers': [7]}",
    "resolvers | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'resolvers': 'r'}",
    "resolvers | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'resolvers': [' ']}",
    "namespaces | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'namespaces': []}",
    "namespaces | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['not there']}",
    "namespaces | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'namespaces': ['a23456789012345678901234567890']}",
    "heartbeat_seconds | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'heartbeat_seconds': 0}",
    "heartbeat_seconds | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'heartbeat_seconds': 301}",
    "worker_uuid | {'worker_uuid': 'x', 'name': 'w', 'capacity': 1, 'handlers': ['a']}",
    "handler | {'name': 'w', 'capacity': 1, 'handlers': ['a'], 'handler': 'a'}"})
  void bad_input_is_refused_with_the_field_and_changes_nothing(String field, String fields) {
    JsonObject refusal = register(fields.replace('\'', '"'));
    assertThat(refusal.getString("outcome")).isEqualTo("invalid");
    assertThat(refusal.getString("field")).isEqualTo(field);
    assertThat(refusal.getString("message")).contains(field);
    assertThat(sql.number("select count(*) from tasker.workers")).isZero();
  }

  @Test
  void a_namespace_that_does_not_exist_yet_is_served_as_soon_as_it_has_a_template() {
    JsonObject registered = register(
        "{\"name\": \"py-1\", \"capacity\": 4, \"handlers\": [\"a\"], \"namespaces\": [\"later\", \"never\", \"later\"]}");
    assertThat(registered.getString("outcome")).isEqualTo("registered");
    assertThat(registered.getJsonArray("missing_namespaces").toString())
        .isEqualTo("[\"later\",\"never\"]");
    assertThat(worker.claim(4)).isEmpty();

    Dag.of("a").handler("a").inNamespace("elsewhere").started();
    assertThat(worker.claim(4)).as("of another namespace").isEmpty();
    Dag.of("a").handler("a").inNamespace("later").started();

    assertThat(worker.claim(4)).hasSize(1);
    assertThat(register(
        "{\"name\": \"py-1\", \"capacity\": 4, \"handlers\": [\"a\"], \"namespaces\": [\"later\"]}",
        1)
        .getJsonArray("missing_namespaces")).isEmpty();
  }

  @Test
  void a_server_for_a_namespace_that_does_not_exist_yet_serves_it_as_soon_as_it_has_a_template() {
    sql.object(
        "select tasker.heartbeat(?, 'early', 'worker', 4, 0, '[]', 60, ?, '{\"handlers\": [\"a\"], \"namespaces\": [\"afterwards\"]}'::jsonb)",
        worker.uuid(), start);
    assertThat(worker.claim(4)).isEmpty();

    Dag.of("a").handler("a").inNamespace("afterwards").started();

    assertThat(worker.claim(4)).hasSize(1);
  }

  @Test
  void too_many_and_too_long_names_are_refused() {
    String many = String.join(",", Collections.nCopies(1001, "\"h\""));
    assertThat(register("{\"name\": \"w\", \"capacity\": 1, \"handlers\": [" + many + "]}")
        .getString("message"))
        .isEqualTo("handlers must not be more than 1000");
    assertThat(
        register("{\"name\": \"w\", \"capacity\": 1, \"handlers\": [\"" + "h".repeat(501) + "\"]}")
            .getString("field"))
        .isEqualTo("handlers");
    assertThat(
        register("{\"name\": \"" + "n".repeat(129) + "\", \"capacity\": 1, \"handlers\": [\"h\"]}")
            .getString("field"))
        .isEqualTo("name");
    assertThat(sql.number("select count(*) from tasker.workers")).isZero();
  }

  @Test
  void no_worker_takes_the_key_of_a_server() {
    sql.text("select tasker.heartbeat(?, 's', 'worker', 10, 0)", worker.uuid());
    String before = row();
    assertThat(
        register("{\"name\": \"w\", \"capacity\": 1, \"handlers\": [\"a\"]}").getString("field"))
        .isEqualTo("worker_uuid");
    assertThat(beat(1, "healthy").getString("outcome")).as("nor beats for it")
        .isEqualTo("unknown_worker");
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void a_heartbeat_renews_the_leases_of_the_steps_that_it_names() {
    Dag.Task task = Dag.of("a").started();
    register("{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"test.handler\"]}");
    Claim claim = worker.claimOne();
    Instant lease = sql.instant("select lease_expires_at from tasker.workflow_steps");

    JsonObject answer = beat(30, "degraded", claim);

    assertThat(answer.getString("outcome") + " " + answer.getString("state"))
        .isEqualTo("renewed degraded");
    assertThat(answer.getJsonArray("lost")).isEmpty();
    assertThat(sql.instant("select lease_expires_at from tasker.workflow_steps"))
        .isAfter(lease.plusSeconds(25));
    assertThat(beat(31, "healthy", claim.asHandoff(2)).getJsonArray("lost")).hasSize(1);
    sql.text("select tasker.request_cancel(?, 'bob', 'why', p_policy => 'cancel_running')",
        task.uuid());
    assertThat(beat(32, "healthy", claim).getJsonArray("cancel_requested")).hasSize(1);
  }

  @Test
  void bad_heartbeats_are_refused_with_the_field_and_change_nothing() {
    assertThat(beat(0, "healthy").getString("outcome")).isEqualTo("unknown_worker");
    register("{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"a\"]}");
    String before = row();
    assertThat(beat(1, "fine").getString("field")).isEqualTo("state");
    assertThat(
        sql.object("select tasker.heartbeat_worker(?, -1)", worker.uuid()).getString("field"))
        .isEqualTo("running");
    assertThat(
        sql.object("select tasker.heartbeat_worker(?, 0, '{}')", worker.uuid()).getString("field"))
        .isEqualTo("steps");
    assertThat(
        sql.object(
            "select tasker.heartbeat_worker(?, 0, '[{\"step_uuid\": \"x\", \"handoff\": 1}]')",
            worker.uuid()).getString("field"))
        .isEqualTo("steps");
    assertThat(
        sql.object("select tasker.heartbeat_worker(?, 0, p_lease_seconds => 0)", worker.uuid())
            .getString("field"))
        .isEqualTo("lease_seconds");
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void a_worker_that_stopped_comes_back_by_a_new_registration_only_which_forgets_what_it_declined() {
    Dag.Task task = Dag.of("a").started();
    register("{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"test.handler\"]}");
    Claim claim = worker.claimOne();
    sql.text(
        "select tasker.decline_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), ?)",
        claim.step(), claim.task(), worker.uuid());
    assertThat(worker.claim(1)).isEmpty();
    beat(1, "stopped");
    assertThat(beat(2, "healthy").getString("state")).isEqualTo("stopped");

    register("{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"test.handler\"]}", 3);

    assertThat(sql.text("select health from tasker.get_workers(?)", start.plusSeconds(4)))
        .isEqualTo("healthy");
    assertThat(worker.claim(1)).extracting(Claim::step).containsExactly(task.step("a"));
  }

  @Test
  void an_external_worker_that_falls_silent_loses_its_leases_before_they_end() {
    Dag.Task task = Dag.of("a").started();
    register(
        "{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"test.handler\"], \"heartbeat_seconds\": 2}");
    Claim claim = worker.claimOne();
    UUID server = UUID.randomUUID();
    JsonObject answer = null;
    for (int seconds = 0; seconds <= 6; seconds += 2) {
      answer = sql.object("select tasker.heartbeat(?, 'server', 'worker', 10, 0, '[]', 60, ?)",
          server, start.plusSeconds(seconds));
      assertThat(answer.getJsonArray("lost_servers")).as("after %s seconds", seconds).isEmpty();
    }
    assertThat(answer.getInt("next_silence_in_ms")).isEqualTo(2_000);

    answer = sql.object("select tasker.heartbeat(?, 'server', 'worker', 10, 0, '[]', 60, ?)",
        server, start.plusSeconds(8));

    assertThat(answer.getJsonArray("lost_servers").getString(0))
        .isEqualTo(worker.uuid().toString());
    assertThat(answer.getInt("expired_steps")).isEqualTo(1);
    try (SqlWorker other = SqlWorker.open()) {
      other.at(start.plusSeconds(9)).advance();
      assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
      assertThat(worker.complete(claim.success()).getJsonArray("refused").getJsonObject(0)
          .getString("verdict")).isEqualTo("STALE");
      other.runToTheEnd();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void workers_go_a_day_after_their_last_heartbeat() {
    register("{\"name\": \"w\", \"capacity\": 2, \"handlers\": [\"a\"]}");
    sql.text("select tasker.heartbeat(?, 's', 'worker', 10, 0, '[]', 60, ?)", UUID.randomUUID(),
        start);
    sql.text("select tasker.heartbeat(?, 'later', 'worker', 10, 0, '[]', 60, ?)", UUID.randomUUID(),
        start.plusSeconds(86_401));
    assertThat(sql.texts("select name from tasker.workers")).containsExactly("later");
  }

  @Test
  void a_server_without_the_role_has_no_worker_and_one_that_is_paused_keeps_it() {
    UUID server = UUID.randomUUID();
    sql.text("select tasker.heartbeat(?, 's', 'api,orchestrator', 10, 0)", server);
    assertThat(sql.number("select count(*) from tasker.workers")).isZero();
    assertThat(sql.text("select capacity || ' ' || handlers::text from tasker.get_servers()"))
        .isEqualTo("0 {}");
    sql.text("select tasker.heartbeat(?, 's', 'api,worker', 10, 3)", server);
    assertThat(sql.text("select health || ' ' || running from tasker.get_workers()"))
        .isEqualTo("healthy 3");
    sql.text("select tasker.heartbeat(?, 's', 'api', 10, 2)", server);
    assertThat(sql.text("select health || ' ' || running from tasker.get_workers()"))
        .isEqualTo("paused 2");
    assertThat(sql.isTrue("select tasker.is_served('orders')")).isFalse();
  }
}
