package ee.tasker.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * See {@link DatabaseTest}. Also records every move that was made, for the test that checks whether all of them were: in a file for each JVM, in a folder for each
 * run of Maven, because the tests run in several JVMs.
 */
public final class CleanDatabase implements TestInstancePreConstructCallback, AfterEachCallback {
  private static final Path FOLDER = Path.of(System.getProperty("tasker.checkout", "."), "target", "moves",
      System.getProperty("tasker.build", "none"));
  private static final Set<String> RECORDED = ConcurrentHashMap.newKeySet();

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
    // Before the fields of the test class are made: they may have sessions and tasks.
    TestDatabase.get().reset();
    record(List.of(factory.getTestClass().getName()));
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
  private static void remember() {
    try (Sql sql = Sql.open()) {
      record(sql.texts("select distinct 'step ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
          + "from tasker.workflow_step_transitions union "
          + "select distinct 'task ' || coalesce(from_state::text, 'nothing') || ' to ' || to_state || ' by ' || actor "
          + "from tasker.task_transitions"));
    }
  }

  /** All moves that the tests of this run of Maven have made, and the test classes that made them. */
  public static Set<String> recorded() {
    Set<String> recorded = new TreeSet<>();
    try (Stream<Path> files = Files.exists(FOLDER) ? Files.list(FOLDER) : Stream.empty()) {
      for (Path file : files.toList()) {
        recorded.addAll(Files.readAllLines(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return recorded;
  }

  private static void record(Collection<String> lines) {
    List<String> added = lines.stream().filter(RECORDED::add).toList();
    try {
      if (!added.isEmpty()) {
        Files.createDirectories(FOLDER);
        Files.write(FOLDER.resolve(ProcessHandle.current().pid() + ".txt"), added, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
