package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LargeWorkTest {
  private static final int SMALL = 100;

  private final LargeWork work = new LargeWork(
      new SettingsReader()
          .read(new SettingsReaderTest.MapConfig(Map.of("tasker.api.large-bytes", "65536"))));

  private void request(String namespace, int length, long effortMillis) {
    try (Turns.Turn turn = work.begin(namespace, length, 0, true)) {
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
}
