package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.WholeRun;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Comes after all tests of the database, with the integration tests: every move that the rules
 * allow was made by one of them.
 */
@DatabaseTest
class TransitionsVisitedIT {
  @Test
  void every_move_in_the_rules_was_made_by_a_test() {
    WholeRun.assumeThatAllTestsOfTheDatabaseRan();
    Set<String> missing;
    try (Sql sql = Sql.open()) {
      List<String> rules = sql.texts(
          "select 'step ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
              + "from tasker.workflow_step_transition_rules union "
              + "select 'task ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor from tasker.task_transition_rules");
      missing = new TreeSet<>(rules);
      missing.removeAll(RunRecord.MOVES.read());
    }
    assertThat(missing).as("rules that no test used").isEmpty();
  }
}
