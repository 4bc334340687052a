package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TaskEndingsTest {
  private final TaskEndings endings = new TaskEndings();
  private final UUID task = UUID.randomUUID();

  @Test
  void an_ending_is_told_to_everybody_who_waits_and_to_nobody_who_gave_up() {
    CompletableFuture<String> first = endings.await(task);
    CompletableFuture<String> second = endings.awaitNew(task);
    CompletableFuture<String> gone = endings.await(task);
    endings.forget(task, gone);

    endings.looked(task, "steps_in_process");
    assertThat(first).isNotDone();
    endings.looked(task, "complete");

    assertThat(first).isCompletedWithValue("complete");
    assertThat(second).isCompletedWithValue("complete");
    assertThat(gone).isNotDone();
  }

  @Test
  void an_ending_that_was_faster_than_the_question_is_remembered_for_a_new_task_only() {
    endings.looked(task, "blocked_by_failures");

    assertThat(endings.awaitNew(task)).isCompletedWithValue("blocked_by_failures");
    assertThat(endings.await(task)).as("a person may have taken it up again").isNotDone();
    assertThat(endings.awaitNew(UUID.randomUUID())).isNotDone();
  }

  @Test
  void no_more_than_the_latest_endings_are_remembered() {
    endings.looked(task, "complete");
    for (int i = 0; i < 999; i++) {
      endings.looked(UUID.randomUUID(), "complete");
    }
    assertThat(endings.awaitNew(task)).isDone();
    endings.looked(UUID.randomUUID(), "complete");
    assertThat(endings.awaitNew(task)).isNotDone();
  }
}
