package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Problem;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SubmissionQueueTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final SubmissionQueue<String> queue = new SubmissionQueue<>(Duration.ofMillis(100), nanos::get);

  @Test
  void a_request_is_refused_only_when_the_first_has_waited_for_longer_than_the_limit() {
    queue.requireTimely();
    queue.add("a");
    pass(Duration.ofMillis(60));
    queue.add("b");
    pass(Duration.ofMillis(40));
    assertThatCode(queue::requireTimely).as("exactly the limit").doesNotThrowAnyException();

    pass(Duration.ofNanos(1));

    assertThatThrownBy(queue::requireTimely).isInstanceOfSatisfying(Problem.class, problem -> {
      assertThat(problem.status()).isEqualTo(503);
      assertThat(problem.code()).isEqualTo("server-busy");
      assertThat(problem.extras()).containsEntry("retry_after_seconds", 1);
    });
  }

  @Test
  void a_call_that_takes_the_first_ones_makes_room_by_time_and_not_by_number() {
    queue.add("a");
    pass(Duration.ofMillis(60));
    queue.add("b");
    queue.add("c");
    pass(Duration.ofMillis(60));
    assertThatThrownBy(queue::requireTimely).isInstanceOf(Problem.class);

    assertThat(queue.take(1)).containsExactly("a");

    assertThatCode(queue::requireTimely).as("b and c have waited for 60 ms").doesNotThrowAnyException();
    assertThat(queue.take(5)).containsExactly("b", "c");
    assertThat(queue.isEmpty()).isTrue();
    pass(Duration.ofHours(1));
    assertThatCode(queue::requireTimely).doesNotThrowAnyException();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
