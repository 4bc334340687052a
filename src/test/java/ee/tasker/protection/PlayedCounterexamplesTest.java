package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Counterexamples that Spin found in the models handoff, operator and timeout without one of their
 * guards, read from their files and played against the database, which has the guards. What comes
 * before the last event happens here as it does in the model. The last one is refused, or if it
 * is not, the history is sound nevertheless; then the task comes to rest by itself.
 */
@ProtectionTest
class PlayedCounterexamplesTest {
  private static final Path KEPT = Path.of("db/model/counterexamples");

  /** What the last event would change is what the guard is there for: it must have no effect. */
  private static final Set<String> REFUSED = Set.of("handoff-WITHOUT_CLAIM_STATE",
      "handoff-WITHOUT_CLAIM_HANDOFF", "handoff-WITHOUT_DUE", "handoff-WITHOUT_LEASE",
      "handoff-WITHOUT_LIMIT", "handoff-WITHOUT_RENEW_HANDOFF", "handoff-WITHOUT_RESULT_HANDOFF",
      "handoff-WITHOUT_RESULT_STATE", "operator-WITHOUT_BUSY", "operator-WITHOUT_ENDED",
      "operator-WITHOUT_NUMBERS_STAY", "operator-WITHOUT_SEEN", "operator-WITHOUT_STATE",
      "operator-WITHOUT_TASK_LOCK", "timeout-WITHOUT_BLOCKED", "timeout-WITHOUT_CANCEL_FIRST",
      "timeout-WITHOUT_ONCE", "timeout-WITHOUT_RESULT_FIRST");

  /**
   * Played elsewhere: what happens between two statements by {@link CounterexamplesTest}, a context
   * that is not checked and a result that cannot be processed by the tests that make these.
   */
  private static final Set<String> BY_HAND = Set.of("timeout-WITHOUT_LOCK_OF_STEPS",
      "timeout-WITHOUT_CHECKED", "timeout-WITHOUT_PARKING");

  private static List<String> events(String name) throws IOException {
    List<String> lines = Files.readAllLines(KEPT.resolve(name + ".txt"));
    List<String> events = lines.subList(0, lines.size() - 1);
    int last = events.size() - 1;
    // Two statements of one call, of which the first is to be refused.
    return last > 0 && events.get(last).endsWith("fails the task")
        && events.get(last - 1).endsWith("that the time of the task is over")
            ? events.subList(0, last) : events;
  }

  static List<String> played() throws IOException {
    try (Stream<Path> files = Files.list(KEPT)) {
      return files.map(file -> file.getFileName().toString().replace(".txt", ""))
          .filter(name -> name.matches("(handoff|operator|timeout)-.*"))
          .filter(name -> !BY_HAND.contains(name)).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("played")
  void what_goes_wrong_without_the_guard_does_not_happen(String name) throws IOException {
    List<String> events = events(name);
    try (CounterexamplePlayer player = new CounterexamplePlayer(name.split("-")[0])) {
      for (String event : events.subList(0, events.size() - 1)) {
        assertThat(player.play(event)).as("%s: %s", name, event).isTrue();
        assertThatHistoryIsSound();
      }
      boolean hasEffect = player.play(events.get(events.size() - 1));
      assertThat(hasEffect).as("%s: %s", name, events.get(events.size() - 1))
          .isEqualTo(!REFUSED.contains(name));
      assertThatHistoryIsSound();
      assertThat(player.playOn()).as(name).isIn("complete", "error", "cancelled",
          "blocked_by_failures");
    }
    assertThatHistoryIsSound();
  }

  @Test
  void all_of_these_models_are_played_but_those_that_others_play() throws IOException {
    assertThat(played()).containsAll(REFUSED).hasSizeGreaterThanOrEqualTo(23);
    try (Stream<Path> files = Files.list(KEPT)) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".txt", "")))
          .containsAll(BY_HAND);
    }
  }
}
