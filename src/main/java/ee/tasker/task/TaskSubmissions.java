package ee.tasker.task;

import java.util.List;

/**
 * Submits tasks from Java. Joins the caller's JTA transaction, or brings its own: the task is there if and only if that
 * transaction commits, and nothing of it runs before. Inject it; it is part of the API jar.
 *
 * <p>Thread-safe. Throws {@link ee.tasker.platform.Problem} for what is wrong with a request; the transaction is then to be
 * rolled back.
 */
public interface TaskSubmissions {

  /** @return the new task, or the one that was there when the request is a duplicate */
  SubmittedTask submit(TaskRequest request);

  /** All or none, in one call to the database; answers in the order of the requests. */
  List<SubmittedTask> submitAll(List<TaskRequest> requests);
}
