package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.Effort;
import ee.tasker.platform.config.DefaultSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LargeWorkTest {
  private static final int SMALL = 100;
  /** So that a rest after it outlasts the question for it. */
  private static final long SPENT = Duration.ofMillis(50).toNanos();

  private final LargeWork work = new LargeWork(DefaultSettings.read());

  private void request(String namespace, int length, long effortMillis) {
    try (Turns.Turn turn = work.begin(namespace, length, SPENT, true)) {
      Effort.add(Duration.ofMillis(effortMillis).toNanos());
    }
  }

  private boolean rests(String namespace) {
    return work.rests().nanosLeft(namespace) > 0;
  }

  @Test
  void small_requests_take_no_turns_and_large_ones_do() {
    request("quiet", SMALL, 0);
    request("noisy", SMALL, 0);
    assertThat(rests("noisy")).isFalse();

    request("noisy", 65_537, 0);

    assertThat(rests("noisy")).isTrue();
  }

  @Test
  void small_requests_of_a_namespace_take_turns_after_one_that_was_costly() {
    request("quiet", SMALL, 0);
    request("noisy", SMALL, 9);
    request("noisy", SMALL, 0);
    assertThat(rests("noisy")).as("that was little").isFalse();

    request("noisy", SMALL, 2_000);
    request("noisy", SMALL, 0);

    assertThat(rests("noisy")).isTrue();
    request("quiet", SMALL, 0);
    assertThat(rests("quiet")).isFalse();
  }

  @Test
  void small_submissions_of_a_namespace_with_heavy_work_take_turns_while_calls_are_slow() {
    request("quiet", SMALL, 0);
    request("noisy", 65_537, 0);
    calls(Duration.ofMillis(10));
    assertThat(isInTurn("noisy", true)).as("while calls are quick").isFalse();

    calls(Duration.ofMillis(100));

    assertThat(isInTurn("noisy", true)).isTrue();
    assertThat(isInTurn("noisy", false)).as("what an operator does").isFalse();
    assertThat(isInTurn("quiet", true)).isFalse();
  }

  private void calls(Duration each) {
    for (int i = 0; i < 300; i++) {
      work.rests().called("complete_steps", 1, each.toNanos());
    }
  }

  /** A turn is followed by a rest, here of an hour's work. */
  private boolean isInTurn(String namespace, boolean submits) {
    long before = work.rests().nanosLeft(namespace);
    work.begin(namespace, SMALL, Duration.ofHours(1).toNanos(), submits).close();
    return work.rests().nanosLeft(namespace) > before;
  }
}
