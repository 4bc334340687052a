package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.TaskState;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CompletionWaitersTest {
  private final CompletionWaiters waiters = new CompletionWaiters();
  private final UUID task = UUID.randomUUID();

  @Test
  void a_completion_reaches_every_waiter_and_none_that_gave_up() {
    CompletableFuture<TaskState> first = waiters.await(task);
    CompletableFuture<TaskState> second = waiters.awaitNew(task);
    CompletableFuture<TaskState> gone = waiters.await(task);
    waiters.forget(task, gone);

    waiters.observed(task, TaskState.STEPS_IN_PROCESS);
    assertThat(first).isNotDone();
    waiters.observed(task, TaskState.COMPLETE);

    assertThat(first).isCompletedWithValue(TaskState.COMPLETE);
    assertThat(second).isCompletedWithValue(TaskState.COMPLETE);
    assertThat(gone).isNotDone();
  }

  @Test
  void an_ending_that_was_faster_than_the_question_is_remembered_for_a_new_task_only() {
    waiters.observed(task, TaskState.BLOCKED_BY_FAILURES);

    assertThat(waiters.awaitNew(task)).isCompletedWithValue(TaskState.BLOCKED_BY_FAILURES);
    assertThat(waiters.await(task)).as("an operator may have restarted it").isNotDone();
    assertThat(waiters.awaitNew(UUID.randomUUID())).isNotDone();
  }

  @Test
  void no_more_than_the_latest_endings_are_remembered() {
    waiters.observed(task, TaskState.COMPLETE);
    for (int i = 0; i < 999; i++) {
      waiters.observed(UUID.randomUUID(), TaskState.COMPLETE);
    }
    assertThat(waiters.awaitNew(task)).isDone();
    waiters.observed(UUID.randomUUID(), TaskState.COMPLETE);
    assertThat(waiters.awaitNew(task)).isNotDone();
  }
}
