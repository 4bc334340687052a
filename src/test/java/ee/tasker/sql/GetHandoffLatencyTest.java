package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers("get_server_documents")
class GetHandoffLatencyTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void every_claim_is_measured_against_its_own_handoff() {
    Dag.parallel(4).started();
    worker.claim(3);
    Instant claimed = sql.instant(
        "select max(created_at) from tasker.workflow_step_transitions where to_state = 'in_progress'");
    double slowest = Double
        .parseDouble(sql.text(
            "select extract(epoch from max(a.created_at - h.created_at)) * 1000 from tasker.workflow_step_transitions a "
                + "join tasker.workflow_step_transitions h using (workflow_step_uuid) where a.to_state = 'in_progress' and h.to_state = 'enqueued'"));

    Map<String, Object> row = sql
        .rows("select * from tasker.get_handoff_latency(p_now => ?)", claimed.plusSeconds(60))
        .get(0);

    assertThat(row).containsEntry("namespace", "orders").containsEntry("accepted", 3L)
        .containsEntry("waiting", 1L).containsEntry("stuck",
            0L);
    assertThat(Double.parseDouble(row.get("max_ms").toString()))
        .isCloseTo(slowest, org.assertj.core.data.Offset.offset(0.01)).isPositive();
    assertThat(Double.parseDouble(row.get("oldest_waiting_seconds").toString())).isBetween(60.0,
        90.0);
    assertThat(
        sql.rows("select * from tasker.get_handoff_latency(p_now => ?)", claimed.plusSeconds(400))
            .get(0))
        .containsEntry("accepted",
            0L);
  }

  @Test
  void unclaimed_offers_are_counted_as_stuck() {
    Dag.parallel(2).started();
    worker.at(Instant.now().plusSeconds(31)).advance();
    assertThat(sql.number("select stuck from tasker.get_handoff_latency()")).isEqualTo(2);
  }

  @Test
  void the_document_has_the_servers_and_the_handoffs() {
    Dag.of("a").started();
    sql.text("select tasker.heartbeat(?, 'one', 'worker', 10, 0)", UUID.randomUUID());
    JsonObject document = sql.object("select tasker.get_server_documents()");
    assertThat(document.getJsonArray("servers").getJsonObject(0).getString("health"))
        .isEqualTo("healthy");
    assertThat(document.getJsonArray("handoffs").getJsonObject(0).getInt("waiting")).isEqualTo(1);
    assertThat(sql.object("select tasker.get_server_documents(?)", Instant.now().plusSeconds(3600))
        .getJsonArray("servers").getJsonObject(0)
        .getString("health")).isEqualTo("lost");
  }
}
