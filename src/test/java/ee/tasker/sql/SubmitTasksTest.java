package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"create_steps", "judge_task_request", "uuid_v7"})
class SubmitTasksTest {
  private static final UUID SERVER = UUID.randomUUID();

  private static String verdicts(Sql sql, JsonObject... requests) {
    jakarta.json.JsonArrayBuilder array = jakarta.json.Json.createArrayBuilder();
    List.of(requests).forEach(array::add);
    return String.join(",",
        sql.object("select tasker.submit_tasks(?)", array.build()).getJsonArray("verdicts").stream()
            .map(v -> v.asJsonObject().getString("verdict")).toList());
  }

  @Test
  void roots_are_handed_off_in_the_same_transaction_and_the_rest_waits_for_its_parents() {
    Dag.Task task = Dag.diamond().started();
    assertThatTask(task).isIn("steps_in_process").counts(4, 1, 0, 0)
        .isLookedAtAbout(Instant.now().plusSeconds(30));
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(1).went("pending", "enqueued");
    assertThatStep(task.step("b")).isIn("pending").waitsForParents(1);
    assertThatStep(task.step("d")).isIn("pending").waitsForParents(2);
  }

  @Test
  void the_caller_may_take_the_first_roots_at_once() {
    Dag dag = Dag.parallel(3);
    Dag.Template template = dag.registered();
    try (Sql sql = Sql.open()) {
      JsonObject answer = sql.object(
          "select tasker.submit_tasks(jsonb_build_array(?::jsonb), ?, 2)", dag.request(template),
          SERVER);
      List<Claim> claims = SqlWorker.claims(answer.getJsonArray("claimed_steps"));
      assertThat(claims).hasSize(2);
      claims.forEach(claim -> assertThatStep(claim.step()).isIn("in_progress").went("pending",
          "enqueued", "in_progress"));
      assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(1);
    }
  }

  @Test
  void the_same_context_in_another_spelling_is_the_same_request() {
    Dag dag = Dag.of("a").identity("strict");
    Dag.Template template = dag.registered();
    try (Sql sql = Sql.open()) {
      assertThat(verdicts(sql,
          dag.context("{\"a\": 1, \"b\": {\"x\": [1.50, 2]}}").request(template),
          dag.context("{\"b\": {\"x\": [1.5, 2.0]}, \"a\": 1.0}").request(template),
          dag.context("{\"a\": 2, \"b\": {\"x\": [1.5, 2]}}").request(template),
          dag.context("{\"a\": 1, \"b\": {\"x\": [2, 1.5]}}").request(template)))
          .isEqualTo("created,duplicate,created,created");
    }
  }

  @Test
  void a_duplicate_names_the_task_that_is_there_even_when_it_has_ended() {
    Dag dag = Dag.of("a").identity("strict").context("{\"order\": 1}");
    Dag.Task task = dag.started();
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
      JsonObject verdict = sql
          .object("select tasker.submit_tasks(jsonb_build_array(?::jsonb))",
              dag.request(task.template()))
          .getJsonArray("verdicts").getJsonObject(0);
      assertThat(verdict.getString("verdict")).isEqualTo("duplicate");
      assertThat(verdict.getString("task_uuid")).isEqualTo(task.uuid().toString());
      assertThat(verdict.getString("state")).isEqualTo("complete");
    }
  }

  @Test
  void an_idempotency_key_stands_for_the_context() {
    Dag dag = Dag.of("a").identity("caller_provided").option("idempotency_key", "k1");
    Dag.Template template = dag.registered();
    try (Sql sql = Sql.open()) {
      assertThat(verdicts(sql, dag.context("{\"n\": 1}").request(template),
          dag.context("{\"n\": 2}").request(template),
          dag.option("idempotency_key", "k2").request(template)))
          .isEqualTo("created,duplicate,created");
      assertThat(verdicts(sql, Dag.of("a").identity("caller_provided").request(template)))
          .isEqualTo("invalid");
    }
  }

  @Test
  void always_unique_never_has_duplicates() {
    Dag dag = Dag.of("a").identity("always_unique");
    Dag.Template template = dag.registered();
    try (Sql sql = Sql.open()) {
      assertThat(verdicts(sql, dag.request(template), dag.request(template)))
          .isEqualTo("created,created");
    }
  }

  @Test
  void two_sessions_with_the_same_request_make_one_task() {
    Dag dag = Dag.of("a").identity("strict").context("{\"order\": 2}");
    Dag.Template template = dag.registered();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(verdicts(first, dag.request(template))).isEqualTo("created");
      Sql.Later<String> waiting = second.later(session -> verdicts(session, dag.request(template)))
          .untilItWaits();
      first.commit();
      assertThat(waiting.get()).isEqualTo("duplicate");
      second.commit();
    }
  }

  @Test
  void when_the_first_of_two_sessions_rolls_back_the_second_makes_the_task() {
    Dag dag = Dag.of("a").identity("strict").context("{\"order\": 3}");
    Dag.Template template = dag.registered();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(verdicts(first, dag.request(template))).isEqualTo("created");
      Sql.Later<String> waiting = second.later(session -> verdicts(session, dag.request(template)))
          .untilItWaits();
      first.rollback();
      assertThat(waiting.get()).isEqualTo("created");
      second.commit();
    }
  }

  @Test
  void two_batches_with_the_same_requests_in_opposite_order_do_not_deadlock() {
    Dag dag = Dag.of("a").identity("strict");
    Dag.Template template = dag.registered();
    JsonObject[] requests = IntStream.range(0, 20)
        .mapToObj(i -> dag.context("{\"n\": " + i + "}").request(template))
        .toArray(JsonObject[]::new);
    JsonObject[] reversed = IntStream.range(0, 20).mapToObj(i -> requests[19 - i])
        .toArray(JsonObject[]::new);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(verdicts(first, requests)).doesNotContain("duplicate");
      Sql.Later<String> waiting = second.later(session -> verdicts(session, reversed))
          .untilItWaits();
      first.commit();
      assertThat(waiting.get()).doesNotContain("created");
      second.commit();
    }
  }

  @Test
  void bad_requests_get_a_reason_and_do_not_harm_the_good_ones_of_their_batch() {
    Dag dag = Dag.of("a");
    Dag.Template good = dag.registered();
    Dag.Template missing = new Dag.Template(null, "orders", "no_such_template", "1");
    try (Sql sql = Sql.open()) {
      assertThat(verdicts(sql, dag.request(missing), Dag.of("a").priority(101).request(good),
          dag.request(good)))
          .isEqualTo("unknown_template,invalid,created");
      assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(1);
    }
  }

  @Test
  void an_unvalidated_context_keeps_the_task_pending() {
    Dag.Task task = Dag.of("a").withInputSchema().started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.advance();
    }
    assertThatTask(task).isIn("pending").went();
  }

  @Test
  void a_task_of_ten_thousand_parallel_steps_is_registered_fans_out_and_in_in_linear_time() {
    fanOutAndIn(100);
    Taken small = fanOutAndIn(1_000);
    Taken big = fanOutAndIn(10_000);
    // Ten times the steps; a quadratic plan takes a hundred times as long. A ratio, because
    // machines are busy with other things.
    assertThat(big.registration()).as("1 000 steps took %s", small)
        .isLessThan(small.registration().multipliedBy(40));
    assertThat(big.run()).as("1 000 steps took %s", small)
        .isLessThan(small.run().multipliedBy(40));
  }

  private record Taken(Duration registration, Duration run) {
  }

  private static Taken fanOutAndIn(int steps) {
    Dag dag = Dag.fanOut(steps).version("1.0." + steps);
    long registration = System.nanoTime();
    dag.registered();
    long start = System.nanoTime();
    Dag.Task task = dag.started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().success());
      for (List<Claim> claims = worker.claim(1000); !claims.isEmpty(); claims = worker
          .claim(1000)) {
        worker.complete(0, claims.stream().map(Claim::success).toList());
      }
    }
    long end = System.nanoTime();
    assertThatTask(task).isIn("complete");
    return new Taken(Duration.ofNanos(start - registration), Duration.ofNanos(end - start));
  }

  @Test
  void a_batch_without_requests_is_answered() {
    try (Sql sql = Sql.open()) {
      assertThat(sql.object("select tasker.submit_tasks('[]')").toString())
          .isEqualTo("{\"verdicts\":[],\"claimed_steps\":[],\"queued\":[]}");
    }
  }

  @Test
  void keys_grow_with_time_and_are_of_version_seven() {
    try (Sql sql = Sql.open()) {
      List<String> keys = sql.texts("select tasker.uuid_v7() from generate_series(1, 1000)");
      assertThat(keys).doesNotHaveDuplicates()
          .allMatch(key -> key.charAt(14) == '7' && "89ab".indexOf(key.charAt(19)) >= 0);
      // Only two of the same microsecond may be in any order; of one millisecond, every other pair
      // would be.
      assertThat(IntStream.range(1, keys.size())
          .filter(i -> keys.get(i).compareTo(keys.get(i - 1)) < 0).count()).isLessThan(250);
      String later = sql.text("select tasker.uuid_v7() from pg_sleep(0.003)");
      assertThat(later).isGreaterThan(keys.get(0));
    }
  }
}
