package ee.tasker.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

class TaskerExtensionTest {
  private static final List<Tasker> GIVEN = new ArrayList<>();

  /** Run by the tests below only: surefire does not look into nested static classes. */
  @TaskerTest
  static class Example {
    @BeforeEach
    void before(Tasker tasker) {
      GIVEN.add(tasker);
    }

    @Test
    void one(Tasker tasker) {
      GIVEN.add(tasker);
    }

    @Test
    @Tag("failing")
    void other(Tasker tasker) {
      throw new AssertionError("as the test wants it");
    }

    @AfterEach
    void after(Tasker tasker) {
      GIVEN.add(tasker);
    }
  }

  @Test
  void each_test_has_one_engine_which_is_closed_after_it() throws SQLException {
    GIVEN.clear();
    EngineTestKit.engine("junit-jupiter").selectors(selectClass(Example.class)).execute()
        .testEvents()
        .assertStatistics(events -> events.succeeded(1).failed(1))
        .assertThatEvents()
        .haveExactly(1, event(finishedWithFailure(message("as the test wants it"))));

    assertThat(GIVEN).hasSize(5);
    assertThat(GIVEN.stream().distinct()).hasSize(2);
    for (Tasker tasker : GIVEN) {
      assertThat(isOpen(tasker)).isFalse();
    }
  }

  private static boolean isOpen(Tasker tasker) {
    try {
      tasker.runUntilIdle();
      return true;
    } catch (IllegalStateException closed) {
      return false;
    }
  }

  @Test
  void a_closed_engine_leaves_no_database_behind() throws Exception {
    Tasker tasker = Tasker.open();
    tasker.close();
    for (long end = System.nanoTime() + 20_000_000_000L; System.nanoTime() < end;) {
      try (Connection connection = tasker.dataSource().getConnection()) {
        Thread.sleep(20);
      } catch (SQLException gone) {
        assertThat(gone.getSQLState()).isIn("3D000", "57P01", "55006");
        return;
      }
    }
    throw new AssertionError("the database is still there");
  }
}
