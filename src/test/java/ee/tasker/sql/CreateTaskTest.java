package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/**
 * A call with one request goes another way than one with several. The same random request for the
 * same random template is made twice: once alone, and once beside one that is refused, which takes
 * the way for several. Both leave the same rows and have the same answer.
 */
@DatabaseTest
@DatabaseTest.Covers({"create_task", "format_claimed_step"})
class CreateTaskTest {
  private static final JsonObject REFUSED = Json.createObjectBuilder()
      .add("namespace", "alone").add("name", "there is none").add("version", "1.0.0")
      .add("context", JsonValue.EMPTY_JSON_OBJECT).build();

  private record Made(List<String> rows, List<JsonObject> replies) {
  }

  @Property(tries = 120, shrinking = ShrinkingMode.OFF)
  void one_request_leaves_the_rows_that_several_leave(@ForAll long seed) {
    TestDatabase.get().reset();
    UUID server = UUID.randomUUID();
    Instant now = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS);

    Made alone = make(seed, now, server, "alone", false);
    Made together = make(seed, now, server, "together", true);

    assertThat(alone.rows()).as("rows of seed %s", seed).isEqualTo(together.rows());
    assertThat(alone.replies()).as("replies of seed %s", seed).isEqualTo(together.replies());
    TaskerAssertions.assertThatHistoryIsSound();
  }

  @Test
  void what_has_nothing_special_goes_that_way_and_only_that() {
    Dag dag = Dag.diamond().identity("strict");
    Dag.Template template = dag.registered();
    JsonObject plain = dag.request(template);
    try (Sql session = Sql.session()) {
      assertThat(Stream.of("{}", "{\"start_at\": \"2027-01-31T12:00:00Z\"}",
          "{\"parent_task_uuid\": \"01a221d9-b113-7c9d-9d1e-a21d6d802b3b\"}",
          "{\"priority\": 101}", "{\"trace_parent\": \"none\"}", "{\"context\": []}",
          "{\"tags\": {\"a\": \"b\"}}", "{\"version\": \"9.9.9\"}",
          "{\"version\": null, \"context\": {\"n\": 2}}", "{}")
          .map(more -> isMadeAlone(session, merged(plain, more))))
          .containsExactly(true, false, false, false, false, false, false, false, true, false);
      session.commit();
    }
  }

  @Test
  void a_template_with_something_special_goes_the_way_for_several() {
    UUID server = UUID.randomUUID();
    Dag paused = Dag.of("paused");
    Dag.Template template = paused.registered();
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.pause_templates(?, ?, null, 'ann', 'a test')::text",
          template.namespace(), template.name());
      sql.run(
          "insert into tasker.workers (worker_uuid, name, state, namespaces, handlers, resolvers, unable, declared_at, served, served_version, capacity, running, "
              + "registered_at, heartbeat_at, heartbeat_seconds, lease_expires_at, present_since) "
              + "select ?, 'some', 'healthy', null, '{none}', '{}', '{}', now(), tasker.calculate_served_handlers(null, '{}', '{}', '{}'), c.version, 9, 0, now(), now(), 10, now(), now() from tasker.handler_catalog c",
          server);
    }
    try (Sql session = Sql.session()) {
      assertThat(isMadeAlone(session, paused.request(template))).as("paused").isFalse();
      assertThat(Stream.of(Dag.of("a").policy("{\"limit\": 1}"),
          Dag.of("a").waitingOnly("{\"wait\": {\"for\": \"PT1M\"}}"), Dag.of("a").withInputSchema(),
          Dag.of("a").searchAttributes("{\"n\": \"n\"}").context("{\"n\": 1}"),
          Dag.of("a").reuse("after_end").identity("strict"),
          Dag.of("a").identity("caller_provided"), Dag.parallel(10))
          .map(dag -> isMadeAlone(session, dag.request(dag.registered()))))
          .hasSize(7).containsOnly(false);
      Dag large = Dag.parallel(9).context("{\"text\": \"" + "x".repeat(1_000_000) + "\"}");
      assertThat(isMadeAlone(session, large.request(large.registered())))
          .as("documents that do not fit into a reply").isFalse();
      Dag plain = Dag.of("a");
      JsonObject request = plain.request(plain.registered());
      assertThat(session.text(
          "select tasker.create_task(?, ?, 9, 60, false, clock_timestamp())::text", request,
          server))
          .as("of a worker without its handler").isNull();
      assertThat(isMadeAlone(session, request)).isTrue();
      session.commit();
    }
  }

  private static JsonObject merged(JsonObject request, String more) {
    JsonObjectBuilder merged = Json.createObjectBuilder(request);
    Json.createReader(new StringReader(more)).readObject().forEach(merged::add);
    return merged.build();
  }

  private static boolean isMadeAlone(Sql session, JsonObject request) {
    return session.text(
        "select tasker.create_task(?, gen_random_uuid(), 9, 60, false, clock_timestamp())::text",
        request) != null;
  }

  private static Made make(long seed, Instant now, UUID server, String namespace,
      boolean isBesideAnother) {
    Random random = new Random(seed);
    Dag dag = dag(random).inNamespace(namespace);
    List<String> rows = new ArrayList<>();
    List<JsonObject> replies = new ArrayList<>();
    try (Sql sql = Sql.open()) {
      Dag.Template template = dag.registered();
      if (random.nextInt(6) == 0) {
        sql.run(
            "insert into tasker.workers (worker_uuid, name, state, namespaces, handlers, resolvers, unable, declared_at, served, served_version, capacity, running, "
                + "registered_at, heartbeat_at, heartbeat_seconds, lease_expires_at, present_since) "
                + "select ?, 'some', 'healthy', null, '{none}', '{}', '{}', now(), tasker.calculate_served_handlers(null, '{none}', '{}', '{}'), c.version, 9, 0, now(), now(), 10, now(), now() from tasker.handler_catalog c "
                + "on conflict (worker_uuid) do update set served = excluded.served",
            server);
      }
      if (random.nextInt(8) == 0) {
        sql.text("select tasker.pause_templates(?, null, null, 'ann', 'a test')::text", namespace);
      }
      // The second is a duplicate where the identity is that of the context.
      for (int request = 0; request < 2; request++) {
        JsonArrayBuilder requests = Json.createArrayBuilder().add(request(random, dag, template));
        if (isBesideAnother) {
          requests.add(REFUSED);
        }
        int limit = random.nextInt(4);
        boolean isStarted = random.nextInt(8) > 0;
        boolean isChecked = random.nextBoolean();
        JsonObject reply = sql.object("select tasker.submit_tasks(?, ?, ?, ?, ?, ?, ?)",
            requests.build(), server, limit, 60, isStarted, isChecked, now);
        JsonObject verdict = reply.getJsonArray("verdicts").getJsonObject(0);
        replies.add(answer(sql, reply, verdict, namespace));
        if (verdict.getString("verdict").equals("created")) {
          String query = CompleteStepTest.rows(
              UUID.fromString(verdict.getString("task_uuid")), namespace);
          rows.add(sql.text(query));
        }
      }
    }
    return new Made(rows, replies);
  }

  /** Without the identifiers; steps by their position. */
  private static JsonObject answer(Sql sql, JsonObject reply, JsonObject verdict,
      String namespace) {
    String answer = Json.createObjectBuilder().add("verdict", verdict)
        .add("claimed", reply.get("claimed_steps")).add("queued", reply.get("queued")).build()
        .toString();
    for (var step : sql.rows(
        "select s.workflow_step_uuid::text as key, 'step ' || s.step_position as name from tasker.workflow_steps s "
            + "union all select named_step_uuid::text, 'named ' || step_position from tasker.named_tasks_named_steps "
            + "union all select task_uuid::text, 'the task' from tasker.tasks")) {
      answer = answer.replace(step.get("key").toString(), step.get("name").toString());
    }
    return Json.createReader(new StringReader(answer.replace(namespace, "the namespace")))
        .readObject();
  }

  private static JsonObject request(Random random, Dag dag, Dag.Template template) {
    JsonObjectBuilder request = Json.createObjectBuilder(dag.request(template));
    if (random.nextInt(3) == 0) {
      request.add("priority", random.nextInt(210) - 105);
    }
    if (random.nextInt(3) == 0) {
      request.add("idempotency_key", "key " + random.nextInt(2));
    }
    if (random.nextInt(4) == 0) {
      request.add("trace_parent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0"
          + (random.nextInt(4) == 0 ? "x" : "1"));
    }
    if (random.nextInt(3) == 0) {
      request.add("initiator", "ann").add("source_system", "shop").add("reason", "a test")
          .add("submitted_by", "a program");
    }
    if (random.nextInt(8) == 0) {
      request.add("tags", Json.createObjectBuilder().add("colour", "red"));
    }
    if (random.nextInt(10) == 0) {
      request.add("delay_seconds", random.nextInt(3) - 1);
    }
    if (random.nextInt(10) == 0) {
      request.add("requested_at", "2026-01-31T12:00:00Z");
    }
    if (random.nextInt(10) == 0) {
      request.add("correlation_id", "01a221d9-b113-7c9d-9d1e-a21d6d802b3b")
          .add("parent_correlation_id", "01a221d9-b113-7c9d-9d1e-a21d6d802b3c");
    }
    if (random.nextInt(4) == 0) {
      request.addNull("version");
    }
    if (random.nextInt(12) == 0) {
      request.add("context", JsonValue.EMPTY_JSON_ARRAY);
    }
    return request.build();
  }

  private static Dag dag(Random random) {
    int size = 1 + random.nextInt(7);
    Dag dag = Dag.of("n1").maxAttempts(1 + random.nextInt(3));
    for (int i = 2; i <= size; i++) {
      dag.step("n" + i).maxAttempts(random.nextInt(4));
      if (random.nextInt(6) == 0) {
        dag.notRetryable();
      }
      if (random.nextInt(8) == 0) {
        dag.queueTimeoutSeconds(30);
      }
      for (int parent = 1; parent < i; parent++) {
        if (random.nextDouble() < 0.4) {
          dag.dependsOn("n" + parent);
        }
      }
      if (random.nextInt(16) == 0) {
        dag.stepPolicy("{\"limit\": 1}");
      }
      if (random.nextInt(16) == 0) {
        dag.waitingOnly("{\"wait\": {\"for\": \"PT1M\"}}");
      }
    }
    if (random.nextInt(4) == 0) {
      dag.continueOnError();
    }
    if (random.nextInt(4) == 0) {
      dag.slaMinutes(1 + random.nextInt(60));
    }
    if (random.nextInt(6) == 0) {
      dag.withInputSchema();
    }
    if (random.nextInt(6) == 0) {
      dag.output("{\"n\": \"$.context.n\"}");
    }
    if (random.nextInt(10) == 0) {
      dag.searchAttributes("{\"n\": \"n\"}");
    }
    return dag
        .identity(List.of("strict", "always_unique", "caller_provided").get(random.nextInt(3)))
        .context("{\"n\": 1}");
  }
}
