package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RestsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Rests rests = new Rests(nanos::get);

  private void worked(long millis) {
    pass(millis);
    rests.worked("noisy", Duration.ofMillis(millis).toNanos());
  }

  private void pass(long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
  }

  private Duration left() {
    return Duration.ofNanos(rests.nanosLeft("noisy"));
  }

  @Test
  void heavy_work_is_followed_by_three_times_as_long_a_rest_while_others_have_work() {
    rests.seen("quiet");
    worked(400);

    assertThat(left()).isEqualTo(Duration.ofMillis(1_200));
    assertThat(rests.nanosLeft("quiet")).isZero();
    pass(1_200);
    assertThat(left()).isZero();
  }

  @Test
  void a_namespace_that_has_the_server_for_itself_never_rests() {
    worked(400);
    assertThat(left()).isZero();

    rests.seen("quiet");
    pass(2_001);
    worked(400);
    assertThat(left()).as("the other one was there too long ago").isZero();
  }

  @Test
  void works_at_the_same_time_add_up_to_ten_seconds_at_most() {
    rests.seen("quiet");
    worked(400);
    worked(0);
    rests.worked("noisy", Duration.ofMillis(100).toNanos());
    assertThat(left()).isEqualTo(Duration.ofMillis(1_500));

    rests.worked("noisy", Duration.ofHours(1).toNanos());
    assertThat(left()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void rests_are_longer_while_calls_for_all_take_longer() {
    rests.seen("quiet");
    called(10);
    called(19);
    worked(100);
    assertThat(left()).as("not twice as long").isEqualTo(Duration.ofMillis(300));

    pass(300);
    called(40);
    worked(10);
    assertThat(left().toMillis()).as("four times as long").isBetween(118L, 120L);
    pass(120);
    called(1_000);
    worked(10);
    assertThat(left()).as("a hundred times").isEqualTo(Duration.ofMillis(480));
    pass(480);
    called(10);
    worked(10);
    assertThat(left().toMillis()).as("as before").isBetween(29L, 31L);
  }

  @Test
  void calls_that_are_dearer_for_good_are_the_usual_ones_after_hours() {
    rests.seen("quiet");
    called(10);
    called(40);
    for (int hour = 0; hour < 3; hour++) {
      pass(Duration.ofHours(1).toMillis());
      called(40);
    }
    rests.seen("quiet");
    worked(100);
    assertThat(left()).isEqualTo(Duration.ofMillis(300));
  }

  private void called(long millis) {
    for (int i = 0; i < 300; i++) {
      rests.called("complete_steps", 1, Duration.ofMillis(millis).toNanos());
    }
  }

  @Test
  void many_namespaces_are_forgotten_when_their_time_is_over() {
    rests.seen("quiet");
    worked(400);
    for (int i = 0; i < 3_000; i++) {
      rests.seen("namespace " + i);
    }

    assertThat(left()).isEqualTo(Duration.ofMillis(1_200));
    pass(1_300);
    rests.seen("another");
    assertThat(left().isNegative() || left().isZero()).isTrue();
  }
}
