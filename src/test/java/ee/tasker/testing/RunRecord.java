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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A set of lines that the tests of one run of Maven write and that a test after them reads: in a
 * file for each JVM, because the tests run in several, and in a folder for
 * each run of Maven.
 */
public final class RunRecord {
  /** Test classes that worked on the database. */
  public static final RunRecord CLASSES = new RunRecord("classes");
  /** Transitions, each with its actor. */
  public static final RunRecord MOVES = new RunRecord("moves");
  /** "class number moves": how many moves a history of its had, which the models know. */
  public static final RunRecord REPLAYED = new RunRecord("replayed");
  /** "class function": the functions that PostgreSQL counted while the class ran. */
  public static final RunRecord CALLS = new RunRecord("calls");

  private static final AtomicLong LIVES = new AtomicLong();

  private final Path folder;
  private final Set<String> written = ConcurrentHashMap.newKeySet();

  private RunRecord(String name) {
    folder = Path.of(System.getProperty("tasker.checkout", "."), "target", "run-records",
        System.getProperty("tasker.build", "none"), name);
  }

  /** Adds one history of that test, whose moves were replayed; several may have equally many. */
  public static void replayed(Class<?> test, long moves) {
    REPLAYED.add(List.of("%s %d %d".formatted(test.getName(), LIVES.incrementAndGet(), moves)));
  }

  void add(Collection<String> lines) {
    List<String> added = lines.stream().filter(written::add).toList();
    try {
      if (!added.isEmpty()) {
        Files.createDirectories(folder);
        Files.write(folder.resolve(ProcessHandle.current().pid() + ".txt"), added,
            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The lines of all JVMs of this run of Maven. */
  public Set<String> read() {
    Set<String> lines = new TreeSet<>();
    try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
      for (Path file : files.toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }
}
