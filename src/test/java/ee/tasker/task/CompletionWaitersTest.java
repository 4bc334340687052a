package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.TaskState;
import ee.tasker.engine.reply.EndedTask;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CompletionWaitersTest {
  private final CompletionWaiters waiters = new CompletionWaiters();
  private final UUID task = UUID.randomUUID();

  @Test
  void a_completion_reaches_every_waiter_and_none_that_gave_up() {
    CompletableFuture<EndedTask> first = waiters.await(task);
    CompletableFuture<EndedTask> second = waiters.awaitNew(task);
    CompletableFuture<EndedTask> gone = waiters.await(task);
    waiters.forget(task, gone);

    waiters.observed(EndedTask.of(task, TaskState.STEPS_IN_PROCESS));
    assertThat(first).isNotDone();
    waiters.observed(EndedTask.of(task, TaskState.COMPLETE));

    assertThat(first).isCompletedWithValue(EndedTask.of(task, TaskState.COMPLETE));
    assertThat(second).isCompletedWithValue(EndedTask.of(task, TaskState.COMPLETE));
    assertThat(gone).isNotDone();
  }

  @Test
  void an_ending_that_was_faster_than_the_question_is_remembered_for_a_new_task_only() {
    waiters.observed(EndedTask.of(task, TaskState.BLOCKED_BY_FAILURES));

    assertThat(waiters.awaitNew(task))
        .isCompletedWithValue(EndedTask.of(task, TaskState.BLOCKED_BY_FAILURES));
    assertThat(waiters.await(task)).as("an operator may have restarted it").isNotDone();
    assertThat(waiters.awaitNew(UUID.randomUUID())).isNotDone();
  }

  @Test
  void no_more_than_the_latest_endings_are_remembered() {
    waiters.observed(EndedTask.of(task, TaskState.COMPLETE));
    for (int i = 0; i < 999; i++) {
      waiters.observed(EndedTask.of(UUID.randomUUID(), TaskState.COMPLETE));
    }
    assertThat(waiters.awaitNew(task)).isDone();
    waiters.observed(EndedTask.of(UUID.randomUUID(), TaskState.COMPLETE));
    assertThat(waiters.awaitNew(task)).isNotDone();
  }

  @Test
  void a_task_is_awaited_from_the_first_waiter_until_its_end_or_until_the_last_one_gave_up() {
    assertThat(waiters.isAwaited(task)).isFalse();
    CompletableFuture<EndedTask> first = waiters.await(task);
    CompletableFuture<EndedTask> second = waiters.await(task);
    assertThat(waiters.isAwaited(task)).isTrue();
    waiters.forget(task, first);
    assertThat(waiters.isAwaited(task)).isTrue();
    waiters.forget(task, second);
    assertThat(waiters.isAwaited(task)).isFalse();

    waiters.await(task);
    waiters.observed(EndedTask.of(task, TaskState.COMPLETE));
    assertThat(waiters.isAwaited(task)).isFalse();
  }

  @Test
  void the_document_of_an_end_reaches_those_who_wait_and_is_not_kept_for_others() {
    JsonObject document = Json.createObjectBuilder().add("state", "complete").build();
    EndedTask end = new EndedTask(task, TaskState.COMPLETE, Optional.empty(),
        Optional.of(document));
    CompletableFuture<EndedTask> waiting = waiters.await(task);

    waiters.observed(end);

    assertThat(waiting).isCompletedWithValue(end);
    assertThat(waiters.awaitNew(task))
        .isCompletedWithValue(EndedTask.of(task, TaskState.COMPLETE));
  }
}
