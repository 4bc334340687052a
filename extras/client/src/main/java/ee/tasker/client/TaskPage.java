package ee.tasker.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of a list of tasks, newest first.
 *
 * @param tasks the tasks, without context and steps
 * @param next the cursor of the next page; absent on the last one
 */
public record TaskPage(List<Task> tasks, Optional<String> next) {

  public TaskPage {
    tasks = List.copyOf(tasks);
  }
}
