package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A service that failed may ask for years before the next attempt. */
@DatabaseTest
class GetRetryDelayTest {
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final Duration THREE_YEARS = Duration.ofDays(3 * 365);

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open().at(NOW);

  private Instant retryAt(UUID step) {
    return sql.instant(
        "select next_retry_at from tasker.workflow_steps where workflow_step_uuid = ?", step);
  }

  @Test
  void a_retry_waits_for_years_when_the_service_asks_for_them() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.complete(new SqlWorker.Result(Json.createObjectBuilder(claim.retryableFailure().json())
        .add("error", Json.createObjectBuilder().add("type", "Busy").add("message", "m")
            .add("delay_ms", THREE_YEARS.toMillis()))
        .build()));
    assertThatStep(claim.step()).isIn("waiting_for_retry");
    assertThat(retryAt(claim.step())).isEqualTo(NOW.plus(THREE_YEARS));
    assertThat(sql.number(
        "select backoff_request_seconds from tasker.workflow_steps where workflow_step_uuid = ?",
        claim.step()))
        .isEqualTo(THREE_YEARS.toSeconds());

    worker.at(NOW.plus(THREE_YEARS).minusSeconds(1)).advance();
    assertThatStep(claim.step()).isIn("waiting_for_retry");
    worker.at(NOW.plus(THREE_YEARS)).advance();
    assertThat(worker.claimOne().task()).isEqualTo(task.uuid());
  }

  @Test
  void a_yield_waits_for_years() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.complete(claim.yielded(null, THREE_YEARS.toMillis()));
    assertThat(retryAt(claim.step())).isEqualTo(NOW.plus(THREE_YEARS));
  }

  @Test
  void a_single_move_waits_for_years_and_refuses_what_cannot_be() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.submitResults(claim.retryableFailure());
    String move = "select tasker.transition_step_state_atomic(?, 1, 'enqueued_as_error_for_orchestration', 'waiting_for_retry', "
        + "'orchestrator', null, '{\"delay_ms\": %s}')";
    assertThatDatabaseRefuses("TK007",
        () -> sql.isTrue(move.formatted("315360000001"), claim.step()))
        .hasMessageContaining("delay_ms must be a number from 0 to 315360000000");
    assertThat(sql.isTrue(move.formatted(THREE_YEARS.toMillis()), claim.step())).isTrue();
    assertThat(retryAt(claim.step())).isAfter(Instant.now().plus(THREE_YEARS).minusSeconds(60));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"{\"delay_ms\": 0} | 0", "{\"delay_ms\": 1500.4} | 1500",
        "{\"delay_ms\": 315360000000} | 315360000000",
        "{\"delay_ms\": 315360000001} | ", "{\"delay_ms\": -1} | ", "{\"delay_ms\": 1e400} | ",
        "{\"delay_ms\": \"soon\"} | ",
        "{\"delay_ms\": null} | ", "{} | "})
  void what_is_no_number_from_0_to_ten_years_leaves_the_wait_to_the_template(String error,
      Long delay) {
    assertThat(sql.number("select tasker.get_retry_delay(?::jsonb)", error)).isEqualTo(delay);
  }
}
