package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the states mean, each said once. */
@DatabaseTest
@DatabaseTest.Covers({"step_ended_well", "step_has_ended", "step_awaits_handoff",
  "step_is_handed_off", "step_awaits_settlement", "step_is_in_flight", "task_ended_well",
  "is_terminal"})
class StepStatesTest {
  private static final Map<String, String> QUERIES = Map.of(
      "step_ended_well", "select tasker.step_ended_well(?::tasker.step_state)",
      "step_has_ended", "select tasker.step_has_ended(?::tasker.step_state)",
      "step_awaits_handoff", "select tasker.step_awaits_handoff(?::tasker.step_state)",
      "step_is_handed_off", "select tasker.step_is_handed_off(?::tasker.step_state)",
      "step_awaits_settlement", "select tasker.step_awaits_settlement(?::tasker.step_state)",
      "step_is_in_flight", "select tasker.step_is_in_flight(?::tasker.step_state)",
      "task_ended_well", "select tasker.task_ended_well(?::tasker.task_state)",
      "is_terminal", "select tasker.is_terminal(?::tasker.task_state)");

  private final Sql sql = Sql.open();

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      step_ended_well        | step_state | complete resolved_manually
      step_has_ended         | step_state | cancelled complete error resolved_manually
      step_awaits_handoff    | step_state | pending waiting_for_retry
      step_is_handed_off     | step_state | enqueued in_progress
      step_awaits_settlement | step_state | enqueued_as_error_for_orchestration enqueued_for_orchestration
      step_is_in_flight      | step_state | enqueued enqueued_as_error_for_orchestration enqueued_for_orchestration in_progress
      task_ended_well        | task_state | complete resolved_manually
      is_terminal            | task_state | cancelled complete error resolved_manually
      """)
  void these_states_and_no_others(String function, String type, String states) {
    Set<String> trueFor = new TreeSet<>(
        sql.texts("select unnest(enum_range(null::tasker." + type + "))"));
    trueFor.removeIf(state -> !sql.isTrue(QUERIES.get(function), state));

    assertThat(String.join(" ", trueFor)).isEqualTo(states);
    assertThat(sql.text(QUERIES.get(function), (Object) null)).as("of no state").isNull();
  }
}
