package ee.tasker.testing;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** See {@link DatabaseTest}. Also remembers every move that was made, for the test that asks whether all of them were. */
public final class CleanDatabase implements BeforeEachCallback, AfterEachCallback {
  private static final Set<String> MOVES = Collections.synchronizedSet(new TreeSet<>());
  private static final Set<String> CLASSES = Collections.synchronizedSet(new TreeSet<>());

  @Override
  public void beforeEach(ExtensionContext context) {
    TestDatabase.get().reset();
    CLASSES.add(context.getRequiredTestClass().getName());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    boolean breaks = context.getRequiredTestMethod().isAnnotationPresent(DatabaseTest.BreaksPromises.class)
        || context.getRequiredTestClass().isAnnotationPresent(DatabaseTest.BreaksPromises.class);
    if (!breaks && context.getExecutionException().isEmpty()) {
      TaskerAssertions.assertThatHistoryIsSound();
      remember();
    }
  }

  /** Adds the moves that are in the history now. */
  public static void remember() {
    try (Sql sql = Sql.open()) {
      MOVES.addAll(sql.texts("select distinct 'step ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
          + "from tasker.workflow_step_transitions union "
          + "select distinct 'task ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
          + "from tasker.task_transitions"));
    }
  }

  /** All moves that were made so far in this JVM. */
  public static Set<String> moves() {
    return Set.copyOf(MOVES);
  }

  /** The test classes that have run so far in this JVM. */
  public static Set<String> classes() {
    return Set.copyOf(CLASSES);
  }
}
