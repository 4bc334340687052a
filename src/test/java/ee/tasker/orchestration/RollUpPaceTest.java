package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RollUpPaceTest {
  private final RollUpPace pace = new RollUpPace();

  @Test
  void where_little_moves_half_a_minute_passes() {
    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(30));

    pace.took(Duration.ofMillis(3));

    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void a_long_call_is_followed_by_short_ones() {
    pace.took(Duration.ofMillis(300));
    assertThat(pace.interval()).as("in a sixth of the time a sixth gathers")
        .isEqualTo(Duration.ofSeconds(5));

    pace.took(Duration.ofMillis(50));
    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void two_seconds_are_between_calls_however_long_they_are() {
    pace.took(Duration.ofMinutes(5));
    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(2));

    pace.took(Duration.ofMinutes(5));
    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void calls_become_rare_again_step_by_step() {
    pace.took(Duration.ofMillis(300));
    pace.took(Duration.ZERO);
    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(10));
    pace.took(Duration.ofMillis(1));
    pace.took(Duration.ofMillis(1));

    assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(30));
  }
}
