package ee.tasker.testing;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/** See {@link DatabaseTest}. Also remembers every move that was made, for the test that asks whether all of them were. */
public final class CleanDatabase implements TestInstancePreConstructCallback, AfterEachCallback {
  private static final Set<String> MOVES = Collections.synchronizedSet(new TreeSet<>());
  private static final Set<String> CLASSES = Collections.synchronizedSet(new TreeSet<>());

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
    // Before the fields of the test class are made: they may have sessions and tasks.
    TestDatabase.get().reset();
    CLASSES.add(factory.getTestClass().getName());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Sql.closeAll();
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
