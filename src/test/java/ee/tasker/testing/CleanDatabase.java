package ee.tasker.testing;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * See {@link DatabaseTest}. Also records every move that was made, how many were replayed against
 * the models, and every function that was called, for the tests that check whether all of them
 * were.
 */
public final class CleanDatabase
    implements
      BeforeAllCallback,
      TestInstancePreConstructCallback,
      AfterEachCallback,
      AfterAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    FunctionCalls.begin(context.getRequiredTestClass());
  }

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory,
      ExtensionContext context) {
    // Before the fields of the test class are made: they may have sessions and tasks.
    TestDatabase.get().reset();
    RunRecord.CLASSES.add(List.of(factory.getTestClass().getName()));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Sql.closeAll();
    boolean breaks = context.getRequiredTestMethod()
        .isAnnotationPresent(DatabaseTest.BreaksPromises.class)
        || context.getRequiredTestClass().isAnnotationPresent(DatabaseTest.BreaksPromises.class);
    if (!breaks && context.getExecutionException().isEmpty()) {
      RunRecord.replayed(context.getRequiredTestClass(),
          TaskerAssertions.assertThatHistoryIsSound());
      remember();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    FunctionCalls.end();
  }

  /** Adds the moves that are in the history now. */
  private static void remember() {
    RunRecord.MOVES
        .add(TestDatabase.get().housekeeping()
            .texts(
                "select distinct 'step ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
                    + "from tasker.workflow_step_transitions union "
                    + "select distinct 'task ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
                    + "from tasker.task_transitions"));
  }
}
