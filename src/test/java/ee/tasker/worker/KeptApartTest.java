package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.load.LargeWork;
import ee.tasker.platform.load.Rests;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeptApartTest {
  private static final int CAPACITY = 40;

  private long now;
  private final Rests rests = new Rests(() -> now);
  private final KeptApart<Integer> apart = new KeptApart<>(rests, () -> CAPACITY);

  private void add(String namespace, int results) {
    IntStream.range(0, results).forEach(result -> apart.add(namespace, result));
  }

  private void worked(String namespace, Duration time) {
    rests.seen(LargeWork.share("quiet"));
    rests.worked(LargeWork.share(namespace), time.toNanos());
  }

  @Test
  void results_of_a_namespace_that_rests_wait_until_its_rest_is_over() {
    add("noisy", 3);
    worked("noisy", Duration.ofMillis(100));

    assertThat(apart.take(8)).isEmpty();
    long rest = apart.nanosToNext().orElseThrow();
    assertThat(rest).isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());

    now += rest - 1;
    assertThat(apart.take(8)).isEmpty();
    now++;
    assertThat(apart.take(8)).containsExactly(0, 1, 2);
    assertThat(apart.nanosToNext()).isEmpty();
  }

  @Test
  void the_results_of_another_namespace_do_not_wait_for_that_rest() {
    add("noisy", 3);
    worked("noisy", Duration.ofMillis(100));
    apart.add("other", 7);

    assertThat(apart.nanosToNext()).hasValue(0);
    assertThat(apart.take(8)).containsExactly(7);
    assertThat(apart.take(8)).isEmpty();
  }

  @Test
  void results_that_hold_more_than_a_quarter_of_the_capacity_do_not_rest() {
    add("noisy", CAPACITY / 4 + 1);
    worked("noisy", Duration.ofSeconds(1));

    assertThat(apart.take(1)).containsExactly(0);
    assertThat(apart.take(1)).as("a quarter is not more than a quarter").isEmpty();
    assertThat(apart.size()).isEqualTo(CAPACITY / 4);
  }

  @Test
  void the_quarter_is_that_of_one_namespace() {
    add("noisy", CAPACITY / 4);
    add("loud", CAPACITY / 4);
    worked("noisy", Duration.ofSeconds(1));
    worked("loud", Duration.ofSeconds(1));

    assertThat(apart.take(8)).isEmpty();
  }
}
