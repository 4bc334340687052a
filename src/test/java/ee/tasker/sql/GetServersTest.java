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
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"expire_lost_servers", "is_silent", "abandon_steps", "release_unknown_steps"})
class GetServersTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final UUID observer = UUID.randomUUID();
  private final Instant start = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.MICROS);

  private JsonObject beat(UUID server, int seconds, String report, Claim... claims) {
    return sql.object("select tasker.heartbeat(?, 'name', 'worker', 10, 0, ?, 600, ?, ?::jsonb)",
        server, steps(claims), start.plusSeconds(seconds), report);
  }

  private JsonObject beat(UUID server, int seconds, Claim... claims) {
    return beat(server, seconds, "{\"heartbeat_seconds\": 10}", claims);
  }

  /** The observer sends a heartbeat every ten seconds between the two times. */
  private JsonObject watch(int from, int to) {
    JsonObject answer = null;
    for (int seconds = from; seconds <= to; seconds += 10) {
      answer = beat(observer, seconds);
    }
    return answer;
  }

  private static jakarta.json.JsonArray steps(Claim... claims) {
    var array = Json.createArrayBuilder();
    for (Claim claim : claims) {
      array.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString())
          .add("task_uuid", claim.task().toString())
          .add("handoff", claim.handoff()));
    }
    return array.build();
  }

  private String health(UUID server, int seconds) {
    return sql.text("select health from tasker.get_servers(?) where server_uuid = ?",
        start.plusSeconds(seconds), server);
  }

  @Test
  void a_missing_heartbeat_outweighs_what_the_server_said_and_a_fresh_one_restores_it() {
    UUID server = UUID.randomUUID();
    beat(server, 0,
        "{\"state\": \"healthy\", \"heartbeat_seconds\": 10, \"handlers\": [\"a\"], \"namespaces\": [\"orders\"]}");
    assertThat(health(server, 39)).isEqualTo("healthy");
    assertThat(health(server, 40)).isEqualTo("lost");
    assertThat(
        sql.text("select reported_status || ' ' || silent_seconds from tasker.get_servers(?)",
            start.plusSeconds(45)))
        .isEqualTo("healthy 45.0");
    beat(server, 50);
    assertThat(health(server, 51)).isEqualTo("healthy");
  }

  @Test
  void servers_are_ranked_by_health_and_among_equals_by_how_busy_they_are() {
    UUID[] servers = new UUID[6];
    String[] states = {"draining", "degraded", "healthy", "stopped", "healthy", "healthy"};
    for (int i = 0; i < servers.length; i++) {
      servers[i] = UUID.randomUUID();
      sql.text("select tasker.heartbeat(?, ?, 'worker', 10, ?, '[]', 60, ?, ?::jsonb)", servers[i],
          "s" + i, 5 - i, start.plusSeconds(i == 4 ? -100 : 0),
          "{\"state\": \"" + states[i] + "\", \"problems\": [\"x\"]}");
    }
    assertThat(sql.texts("select name || ' ' || health || ' ' || rank from tasker.get_servers(?)",
        start.plusSeconds(1))).containsExactly(
            "s5 healthy 1", "s2 healthy 1", "s1 degraded 2", "s0 draining 3", "s4 lost 4",
            "s3 stopped 5");
  }

  @Test
  void a_server_that_stopped_stays_so_and_its_record_goes_a_day_later() {
    UUID server = UUID.randomUUID();
    beat(server, 0, "{\"state\": \"stopped\"}");
    beat(server, 1);
    assertThat(health(server, 2)).isEqualTo("stopped");
    assertThat(sql.number("select tasker.count_servers(?)", start.plusSeconds(2))).isZero();
    beat(observer, 86_402);
    assertThat(sql.number("select count(*) from tasker.servers")).isEqualTo(1);
  }

  @Test
  void steps_of_a_server_that_fell_silent_go_on_elsewhere_before_their_leases_end() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    beat(worker.uuid(), 5, claim);
    JsonObject answer = watch(0, 40);
    assertThat(answer.getJsonArray("lost_servers")).isEmpty();
    assertThat(answer.getInt("next_silence_in_ms")).as("when to look again").isEqualTo(5_000);

    answer = watch(50, 50);

    assertThat(answer.getJsonArray("lost_servers").getString(0))
        .isEqualTo(worker.uuid().toString());
    assertThat(answer.getInt("expired_steps")).isEqualTo(1);
    SqlWorker other = SqlWorker.open().at(start.plusSeconds(50));
    other.advance();
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
    assertThat(worker.complete(claim.success()).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).isEqualTo("STALE");
    assertThat(watch(60, 60).getJsonArray("lost_servers")).as("once is enough").isEmpty();
    other.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_step_of_a_server_that_is_heard_is_never_taken_back() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    SqlWorker other = SqlWorker.open();
    for (int seconds = 0; seconds < 2000; seconds += 10) {
      beat(worker.uuid(), seconds, claim);
      assertThat(beat(observer, seconds + 1).getJsonArray("lost_servers")).isEmpty();
      other.at(start.plusSeconds(seconds + 2)).advance();
    }
    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
  }

  @Test
  void a_server_that_comes_back_before_it_is_replaced_keeps_its_steps() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    beat(worker.uuid(), 5, claim);
    assertThat(watch(0, 50).getInt("expired_steps")).isEqualTo(1);
    assertThat(beat(worker.uuid(), 51, claim).getJsonArray("lost")).isEmpty();
    SqlWorker.open().at(start.plusSeconds(55)).advance();
    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
  }

  @Test
  void a_server_that_was_away_itself_judges_no_other() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    watch(0, 10);
    beat(worker.uuid(), 10, claim);
    // The database was away for a minute; the observer is back first.
    assertThat(beat(observer, 70).getJsonArray("lost_servers")).isEmpty();
    assertThat(beat(observer, 80).getJsonArray("lost_servers")).isEmpty();
    assertThat(beat(observer, 90).getJsonArray("lost_servers")).as("two intervals after its gap")
        .isEmpty();
    beat(worker.uuid(), 95, claim);
    assertThat(watch(100, 130).getJsonArray("lost_servers")).isEmpty();
    assertThat(watch(140, 140).getJsonArray("lost_servers")).as("silent since it came back")
        .hasSize(1);
  }

  @Test
  void a_server_that_starts_notices_with_its_third_heartbeat_who_ended_before_it() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    beat(worker.uuid(), 5, claim);

    assertThat(beat(observer, 100).getJsonArray("lost_servers")).as("it may be about to be heard")
        .isEmpty();
    assertThat(beat(observer, 110).getJsonArray("lost_servers")).isEmpty();
    assertThat(beat(observer, 120).getJsonArray("lost_servers")).hasSize(1);
  }

  @Test
  void a_starting_server_judges_no_server_that_it_hears() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    beat(worker.uuid(), 5, claim);
    beat(observer, 100);
    beat(worker.uuid(), 108, claim);

    assertThat(watch(110, 140).getJsonArray("lost_servers")).isEmpty();
  }

  @Test
  void after_a_start_of_the_database_a_new_server_waits_as_long_as_an_old_one() {
    Instant beforeTheDatabase = sql
        .instant("select pg_postmaster_start_time() - interval '1 hour'");
    UUID before = UUID.randomUUID();
    beatAt(before, beforeTheDatabase);
    beatAt(observer, beforeTheDatabase.plusSeconds(100));
    for (int seconds = 110; seconds < 140; seconds += 10) {
      assertThat(
          beatAt(observer, beforeTheDatabase.plusSeconds(seconds)).getJsonArray("lost_servers"))
          .isEmpty();
    }
    assertThat(beatAt(observer, beforeTheDatabase.plusSeconds(140)).getJsonArray("lost_servers"))
        .hasSize(1);
  }

  private JsonObject beatAt(UUID server, Instant time) {
    return sql.object(
        "select tasker.heartbeat(?, 'name', 'worker', 10, 0, '[]', 600, ?, '{\"heartbeat_seconds\": 10}')",
        server, time);
  }

  @Test
  void a_lease_is_renewed_when_a_third_of_it_has_passed_and_not_before() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = SqlWorker.in(sql).at(start).claimOne();
    sql.run("update tasker.workflow_steps set lease_expires_at = ? where workflow_step_uuid = ?",
        start.plusSeconds(600), claim.step());
    beat(worker.uuid(), 199, claim);
    assertThat(leaseEnd(task)).isEqualTo(start.plusSeconds(600));
    assertThat(beat(worker.uuid(), 201, claim).getJsonArray("lost")).isEmpty();
    assertThat(leaseEnd(task)).isEqualTo(start.plusSeconds(801));
  }

  private Instant leaseEnd(Dag.Task task) {
    return sql.instant(
        "select lease_expires_at from tasker.workflow_steps where workflow_step_uuid = ?",
        task.step("a"));
  }

  @Test
  void servers_outlive_a_crash_of_the_database() {
    assertThat(
        sql.text("select relpersistence from pg_class where oid = 'tasker.servers'::regclass"))
        .isEqualTo("p");
  }

  @Test
  void of_two_servers_that_notice_at_once_one_acts() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    beat(worker.uuid(), 5, claim);
    watch(0, 40);
    UUID second = UUID.randomUUID();
    for (int seconds = 0; seconds <= 40; seconds += 10) {
      beat(second, seconds);
    }
    try (Sql session = Sql.session()) {
      JsonObject first = session.object(
          "select tasker.heartbeat(?, 'n', 'worker', 1, 0, '[]', 60, ?, '{\"heartbeat_seconds\": 10}')",
          observer, start.plusSeconds(50));
      assertThat(first.getJsonArray("lost_servers")).hasSize(1);
      assertThat(beat(second, 50).getJsonArray("lost_servers")).isEmpty();
      session.commit();
    }
  }

  @Test
  void a_server_that_stops_abandons_its_running_steps_and_the_next_attempt_starts_at_once() {
    Dag.Task task = Dag.of("a").started();
    Dag.Task cancelled = Dag.of("b").started();
    List<Claim> claims = worker.claim(2);
    sql.text("select tasker.request_cancel(?, 'me', 'x', 'allow_finish')", cancelled.uuid());
    sql.text("select tasker.abandon_steps(?, ?)",
        steps(claims.get(0), claims.get(1), claims.get(0).asHandoff(7)), worker.uuid());
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2)
        .went("pending", "enqueued", "in_progress", "pending", "enqueued");
    assertThatTask(cancelled).isIn("cancelled");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_claim_whose_answer_was_lost_is_given_back_and_costs_no_attempt() {
    Dag.Task task = Dag.parallel(3).maxAttempts(1).started();
    List<Claim> claims = worker.claim(2);
    SqlWorker.open().claim(1);
    assertThat(unknown(5_000, claims.get(0)).getInt("released"))
        .as("too young: the answer may be on its way").isZero();

    assertThat(unknown(0, claims.get(0)).getInt("released")).isEqualTo(1);

    assertThatStep(claims.get(0).step()).isIn("in_progress").hasAttempts(1);
    assertThatStep(claims.get(1).step()).isIn("enqueued").hasHandoffs(2).hasAttempts(1);
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
        .as("no other server's").isEqualTo(2);
    assertThat(unknown(0, claims.get(0)).getInt("released")).isZero();
    assertThatTask(task).isIn("steps_in_process");
  }

  private JsonObject unknown(int olderThanMs, Claim... known) {
    return sql.object("select tasker.release_unknown_steps(?, ?, ?)", worker.uuid(), steps(known),
        olderThanMs);
  }

  @Test
  void the_first_look_at_a_task_follows_the_lease_that_it_was_given() {
    Dag.Template template = Dag.of("a").registered();
    sql.text("select tasker.submit_tasks(?, ?, 1, 5)",
        Json.createArrayBuilder().add(Dag.of("a").request(template)).build(), worker.uuid());
    assertThat(sql.instant("select wake_at from tasker.task_wakeups"))
        .isBefore(Instant.now().plusSeconds(7));
  }
}
