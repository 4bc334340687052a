package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.Outcome;
import ee.tasker.engine.model.ResultVerdict;
import ee.tasker.engine.model.TaskState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The engine's words are spelled once: members of the replies of its functions in {@code engine.reply}, states, outcomes and verdicts in
 * {@code engine.model}. A word that means something else in a file as well stands in the list of exceptions, with its reason.
 */
class ReplyKeysTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "ee", "tasker");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

  /** Members of replies whose names are not also those of REST documents and of log lines in general. */
  private static final Set<String> MEMBERS = Set.of("claimed_steps", "queued", "ended", "refused", "verdict", "verdicts",
      "next_retry_in_ms",
      "next_wake_in_ms", "force_in_ms", "replaces_task_uuid", "sqlstate");
  /** Verdicts on submissions. */
  private static final Set<String> VERDICTS = Set.of("created", "duplicate", "unknown_template", "unsupported_template", "already_ended");

  private static final Map<String, Set<String>> EXCEPTIONS = Map.ofEntries(
      // Reasons for dead letters, and the states of their investigation: words of their own.
      Map.entry("rest/DeadLettersResource.java", Set.of("permanent_failure", "pending", "cancelled")),
      // Members of documents that REST passes through.
      Map.entry("rest/Visibility.java", Set.of("error", "sqlstate")),
      Map.entry("rest/TaskBatchesResource.java", Set.of("verdicts", "replaces_task_uuid")),
      Map.entry("rest/TasksResource.java", Set.of("duplicate", "replaces_task_uuid")),
      // Names of fields of log lines.
      Map.entry("task/TransactionalSubmissions.java", Set.of("duplicate")),
      Map.entry("worker/ResultBatcher.java", Set.of("verdict")),
      // A member of a result, and of a log line.
      Map.entry("step/StepResult.java", Set.of("error")),
      Map.entry("worker/StepRunner.java", Set.of("error")),
      // What an operator may not do, and the code of a problem: not results that were refused.
      Map.entry("platform/Refusals.java", Set.of("refused")),
      Map.entry("rest/FaultMapper.java", Set.of("refused")),
      // The verdict on a request with an idempotency key.
      Map.entry("request/KeyedRequests.java", Set.of("verdict")),
      // Labels of a metric, which platform has without knowing the engine.
      Map.entry("platform/Meters.java", Set.of("success", "retryable_failure", "permanent_failure", "cancelled")),
      // Reply of decline_steps, which goes when claims go by handler.
      Map.entry("worker/MissingHandlers.java", Set.of("queued")));

  @Test
  void no_word_of_the_engine_is_spelled_outside_of_it() {
    Map<String, Set<String>> spelled = new TreeMap<>();
    literals().forEach((file, literals) -> {
      Set<String> found = new TreeSet<>(literals);
      found.retainAll(words());
      found.removeAll(EXCEPTIONS.getOrDefault(file, Set.of()));
      if (!file.startsWith("engine/") && !found.isEmpty()) {
        spelled.put(file, found);
      }
    });

    assertThat(spelled).as("words of the engine that engine.reply or engine.model has already").isEmpty();
  }

  @Test
  void every_word_is_spelled_once_in_the_engines_own_types() {
    Map<String, Set<String>> places = new TreeMap<>();
    literals().forEach((file, literals) -> {
      if (file.startsWith("engine/")) {
        literals.forEach(literal -> places.computeIfAbsent(literal, word -> new TreeSet<>()).add(file));
      }
    });

    assertThat(places.keySet()).as("the members that this test watches for").containsAll(MEMBERS).containsAll(VERDICTS);
    assertThat(places.values()).allMatch(files -> files.size() == 1);
  }

  @Test
  void every_exception_is_still_one() {
    Map<String, Set<String>> literals = literals();

    EXCEPTIONS.forEach((file, words) -> assertThat(literals.getOrDefault(file, Set.of())).as(file).containsAll(words));
  }

  private static Set<String> words() {
    Set<String> words = new HashSet<>(MEMBERS);
    words.addAll(VERDICTS);
    words.addAll(TaskState.words());
    Arrays.stream(Outcome.values()).map(Outcome::word).forEach(words::add);
    Arrays.stream(ResultVerdict.values()).map(ResultVerdict::name).forEach(words::add);
    return words;
  }

  /** The string literals of each source, comments left out. */
  private static Map<String, Set<String>> literals() {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(".java"))
          .collect(Collectors.toMap(file -> SOURCES.relativize(file).toString().replace('\\', '/'), ReplyKeysTest::literalsOf));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> literalsOf(Path file) {
    try {
      Set<String> literals = new HashSet<>();
      for (String line : Files.readAllLines(file)) {
        if (!line.strip().startsWith("*") && !line.strip().startsWith("/")) {
          Matcher matcher = LITERAL.matcher(line);
          while (matcher.find()) {
            literals.add(matcher.group(1));
          }
        }
      }
      return literals;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
