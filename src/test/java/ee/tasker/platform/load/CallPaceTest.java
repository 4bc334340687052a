package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallPaceTest {
  private static final Duration WINDOW = Duration.ofMillis(100);

  private final CallPace pace = new CallPace();
  private long now = 1;

  @Test
  void one_client_that_waits_for_each_step_is_never_paused_however_quick_it_is() {
    for (int window = 0; window < 5; window++) {
      calls(100, 1, Duration.ofMillis(1));
      assertThat(distanceAfterWindow()).isZero();
    }
  }

  @Test
  void one_wide_task_is_never_paused() {
    for (int window = 0; window < 5; window++) {
      // Hundreds of results a call, all of one task, in two calls at a time.
      calls(60, 1, Duration.ofMillis(3));
      assertThat(distanceAfterWindow()).isZero();
    }
  }

  @Test
  void tasks_that_meet_in_calls_are_gathered_for_one_and_a_half_usual_calls() {
    calls(60, 2, Duration.ofMillis(2));

    assertThat(distanceAfterWindow()).isCloseTo(3_000_000, within(100_000L));

    calls(30, 4, Duration.ofMillis(2));
    assertThat(distanceAfterWindow()).as("the calls that were gathered do not end it").isPositive();
  }

  @Test
  void the_distance_grows_with_the_calls_up_to_a_bound() {
    calls(200, 8, Duration.ofMillis(300));

    assertThat(distanceAfterWindow()).isEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void tasks_too_few_to_be_gathered_are_not_waited_for() {
    // Two that met by chance: in three milliseconds the next one is unlikely.
    calls(5, 2, Duration.ofMillis(2));

    assertThat(distanceAfterWindow()).isZero();
  }

  @Test
  void a_load_that_is_gone_pauses_no_one() {
    calls(60, 2, Duration.ofMillis(2));
    assertThat(distanceAfterWindow()).isPositive();

    now += Duration.ofSeconds(5).toNanos();
    calls(1, 1, Duration.ofMillis(2));
    assertThat(pace.distanceNanos(now)).isZero();
  }

  private void calls(int number, int tasks, Duration each) {
    for (int call = 0; call < number; call++) {
      pace.began(tasks);
      pace.ended(each.toNanos());
    }
  }

  private long distanceAfterWindow() {
    now += WINDOW.toNanos();
    return pace.distanceNanos(now);
  }
}
