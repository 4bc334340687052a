package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Problem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SubmissionQueueTest {
  private static final int MOST = 3;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final SubmissionQueue<String> queue = new SubmissionQueue<>(MOST, Duration.ofMillis(100),
      nanos::get);

  @Test
  void a_request_is_refused_only_when_the_first_has_waited_for_longer_than_the_limit() {
    queue.requireTimely();
    queue.add("orders", 10, "a");
    pass(Duration.ofMillis(60));
    queue.add("orders", 10, "b");
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
    queue.add("orders", 10, "a");
    pass(Duration.ofMillis(60));
    queue.add("orders", 10, "b");
    queue.add("orders", 10, "c");
    pass(Duration.ofMillis(60));
    assertThatThrownBy(queue::requireTimely).isInstanceOf(Problem.class);

    assertThat(queue.take(1, 1_000)).containsExactly("a");

    assertThatCode(queue::requireTimely).as("b and c have waited for 60 ms")
        .doesNotThrowAnyException();
    assertThat(queue.take(5, 1_000)).containsExactly("b", "c");
    assertThat(queue.isEmpty()).isTrue();
    pass(Duration.ofHours(1));
    assertThatCode(queue::requireTimely).doesNotThrowAnyException();
  }

  @Test
  void single_requests_count_until_they_are_answered_and_those_of_a_batch_never() {
    List<CompletableFuture<String>> answers = Stream.generate(() -> new CompletableFuture<String>())
        .limit(MOST).toList();
    queue.add("orders", 10, "of a batch");
    answers.forEach(answer -> {
      assertThatCode(queue::requireRoom).doesNotThrowAnyException();
      queue.count(answer);
    });
    assertThat(queue.take(10, 1_000)).hasSize(1);

    assertThatThrownBy(queue::requireRoom).isInstanceOfSatisfying(Problem.class, problem -> {
      assertThat(problem.status()).isEqualTo(503);
      assertThat(problem.code()).isEqualTo("server-busy");
      assertThat(problem.extras()).containsEntry("retry_after_seconds", 1);
    });
    CompletableFuture<String> late = new CompletableFuture<>();
    assertThatThrownBy(() -> queue.count(late))
        .isInstanceOf(Problem.class);
    assertThat(queue.isEmpty()).isTrue();
    assertThatCode(queue::requireTimely).as("of a batch").doesNotThrowAnyException();
    answers.get(0).completeExceptionally(new IllegalStateException());
    assertThatCode(queue::requireRoom).doesNotThrowAnyException();
  }

  @Test
  void other_calls_go_first_until_the_first_request_has_waited_for_half_of_the_limit() {
    assertThat(queue.canWait()).isTrue();
    queue.add("orders", 10, "a");
    pass(Duration.ofMillis(50));
    queue.add("orders", 10, "b");
    assertThat(queue.canWait()).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(queue.canWait()).isFalse();
    queue.take(1, 1_000);
    assertThat(queue.canWait()).as("b came later").isTrue();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void namespaces_take_turns_however_many_requests_one_of_them_has() {
    List.of("n1", "n2", "n3", "n4").forEach(request -> queue.add("noisy", 10, request));
    queue.add("quiet", 10, "q1");
    queue.add("quiet", 10, "q2");

    assertThat(queue.take(3, 1_000)).containsExactly("n1", "q1", "n2");
    assertThat(queue.take(9, 1_000)).containsExactly("q2", "n3", "n4");
  }

  @Test
  void a_call_takes_no_more_once_it_is_long_enough() {
    queue.add("noisy", 600, "n1");
    queue.add("noisy", 600, "n2");
    queue.add("noisy", 5_000, "n3");

    assertThat(queue.take(9, 1_000)).containsExactly("n1", "n2");
    assertThat(queue.take(9, 1_000)).as("longer than allowed by itself").containsExactly("n3");
  }
}
