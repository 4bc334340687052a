package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CompletionWaitersTest {
  private final CompletionWaiters waiters = new CompletionWaiters();
  private final UUID task = UUID.randomUUID();

  @Test
  void an_ending_is_told_to_everybody_who_waits_and_to_nobody_who_gave_up() {
    CompletableFuture<String> first = waiters.await(task);
    CompletableFuture<String> second = waiters.awaitNew(task);
    CompletableFuture<String> gone = waiters.await(task);
    waiters.forget(task, gone);

    waiters.observed(task, "steps_in_process");
    assertThat(first).isNotDone();
    waiters.observed(task, "complete");

    assertThat(first).isCompletedWithValue("complete");
    assertThat(second).isCompletedWithValue("complete");
    assertThat(gone).isNotDone();
  }

  @Test
  void an_ending_that_was_faster_than_the_question_is_remembered_for_a_new_task_only() {
    waiters.observed(task, "blocked_by_failures");

    assertThat(waiters.awaitNew(task)).isCompletedWithValue("blocked_by_failures");
    assertThat(waiters.await(task)).as("a person may have taken it up again").isNotDone();
    assertThat(waiters.awaitNew(UUID.randomUUID())).isNotDone();
  }

  @Test
  void no_more_than_the_latest_endings_are_remembered() {
    waiters.observed(task, "complete");
    for (int i = 0; i < 999; i++) {
      waiters.observed(UUID.randomUUID(), "complete");
    }
    assertThat(waiters.awaitNew(task)).isDone();
    waiters.observed(UUID.randomUUID(), "complete");
    assertThat(waiters.awaitNew(task)).isNotDone();
  }
}
