package ee.tasker.rest.task;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.TaskState;
import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What Java lists of the database's words. */
class StateVocabularyTest {

  @Test
  void states_that_rest_filters_by_are_the_states_of_a_task() throws SQLException {
    assertThat(TasksResource.STATES).containsExactlyInAnyOrderElementsOf(
        texts("select unnest(enum_range(null::tasker.task_state))::text"));
  }

  @Test
  void task_is_terminal_or_blocked_when_it_has_ended_or_is_blocked() throws SQLException {
    String terminal = texts(
        "select pg_get_constraintdef(oid) from pg_constraint where conname = 'completed_at_iff_terminal'")
        .get(0);
    Set<String> expected = new TreeSet<>(Set.of("blocked_by_failures"));
    for (String state : TasksResource.STATES) {
      if (terminal.contains("'" + state + "'")) {
        expected.add(state);
      }
    }

    assertThat(expected).hasSize(5);
    assertThat(
        TasksResource.STATES.stream().filter(state -> TaskState.of(state).isTerminalOrBlocked()))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  private static List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection connection = TestDatabase.get().connect();
        ResultSet rows = connection.createStatement().executeQuery(query)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }
}
