package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.testing.CleanDatabase;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Runs last: every move that the rules allow was made by some test before. */
@DatabaseTest
@Order(Integer.MAX_VALUE)
class TransitionsVisitedTest {
  @Test
  void every_move_in_the_rules_was_made_by_a_test() {
    assumeTrue(CleanDatabase.classes().contains(TransitionStepStateAtomicTest.class.getName())
        && CleanDatabase.classes().contains(CompleteStepsTest.class.getName())
        && CleanDatabase.classes().contains(TransitionTaskStateAtomicTest.class.getName())
        && CleanDatabase.classes().contains(AdvanceDueTasksTest.class.getName())
        && CleanDatabase.classes().contains(RequestCancelTest.class.getName()), "the whole package runs");
    Set<String> missing;
    try (Sql sql = Sql.open()) {
      List<String> rules = sql.texts("select 'step ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
          + "from tasker.workflow_step_transition_rules union "
          + "select 'task ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor from tasker.task_transition_rules");
      missing = new TreeSet<>(rules);
      missing.removeAll(CleanDatabase.moves());
    }
    assertThat(missing).as("rules that no test used").isEmpty();
  }
}
