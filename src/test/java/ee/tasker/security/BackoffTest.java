package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
  private final Backoff backoff = new Backoff(nanos::get);

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      backoff.failed("ann");
    }
  }

  @Test
  void some_mistakes_cost_nothing() {
    fail(Backoff.FREE - 1);

    assertThat(backoff.secondsLeft("ann")).isZero();
    assertThat(backoff.secondsLeft("bob")).isZero();
  }

  @Test
  void then_each_makes_the_next_wait_longer_up_to_a_minute() {
    fail(Backoff.FREE);
    assertThat(backoff.secondsLeft("ann")).isBetween(1, 2);
    fail(1);
    assertThat(backoff.secondsLeft("ann")).isBetween(2, 3);
    fail(100);
    assertThat(backoff.secondsLeft("ann")).isBetween(60, 61);
    assertThat(backoff.secondsLeft("bob")).isZero();
  }

  @Test
  void the_wait_ends_by_time_and_the_count_by_success() {
    fail(Backoff.FREE);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(backoff.secondsLeft("ann")).isZero();
    backoff.succeeded("ann");
    fail(Backoff.FREE - 1);
    assertThat(backoff.secondsLeft("ann")).isZero();
  }

  @Test
  void unknown_names_do_not_fill_the_memory() {
    for (int i = 0; i < 50_000; i++) {
      backoff.failed("nobody" + i);
    }
    fail(Backoff.FREE);

    assertThat(backoff).extracting("failures")
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
        .hasSizeLessThanOrEqualTo(10_000);
    assertThat(backoff.secondsLeft("ann")).isPositive();
  }
}
