package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The health of servers and workers, by the database's clock and by their heartbeats, not by their
 * reports.
 */
@ProtectionTest
class WorkerHealthTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final UUID observer = UUID.randomUUID();

  private void beat(UUID server, String name, String state, Instant now, Claim... claims) {
    var steps = Json.createArrayBuilder();
    for (Claim claim : claims) {
      steps.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("handoff",
          claim.handoff()));
    }
    sql.text("select tasker.heartbeat(?, ?, 'worker', 10, 1, ?, 600, ?, ?::jsonb)", server, name,
        steps.build(), now,
        "{\"state\": \"" + state + "\", \"heartbeat_seconds\": 10}");
  }

  private String health(UUID server, Instant now) {
    return sql.text("select health from tasker.get_servers(?) where server_uuid = ?", now, server);
  }

  @Test
  void E2_missing_heartbeat_outweighs_what_the_server_says_and_gives_its_steps_to_recovery() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    Instant start = Instant.now();
    // It reports healthy and holds a lease of ten minutes; then it sends no heartbeat.
    beat(worker.uuid(), "silent", "healthy", start, claim);
    for (int seconds = 0; seconds <= 30; seconds += 10) {
      beat(observer, "observer", "healthy", start.plusSeconds(seconds));
    }
    assertThat(health(worker.uuid(), start.plusMillis(39_999))).isEqualTo("healthy");
    assertThatStep(claim.step()).isClaimedBy(worker);
    assertThat(health(worker.uuid(), start.plusSeconds(40))).as("four intervals later")
        .isEqualTo("lost");

    beat(observer, "observer", "healthy", start.plusSeconds(40));
    worker.at(start.plusSeconds(41)).advance();

    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
    assertThat(sql.text("select reported_status from tasker.get_servers(?) where server_uuid = ?",
        start.plusSeconds(41), worker.uuid()))
        .isEqualTo("healthy");
    // A fresh heartbeat restores it.
    beat(worker.uuid(), "silent", "healthy", start.plusSeconds(50));
    assertThat(health(worker.uuid(), start.plusSeconds(51))).isEqualTo("healthy");
    worker.at(null).runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void E2_degraded_servers_rank_below_healthy_ones_and_lost_ones_below_both() {
    Instant now = Instant.now();
    for (String state : List.of("degraded", "healthy", "draining")) {
      beat(UUID.randomUUID(), state, state, now);
    }
    beat(UUID.randomUUID(), "lost", "healthy", now.minusSeconds(41));
    assertThat(sql.texts("select name from tasker.get_servers(?) order by rank", now))
        .containsExactly("healthy", "degraded", "draining",
            "lost");
    assertThat(sql.number("select tasker.count_servers(?)", now)).as("alive").isEqualTo(3);
  }
}
