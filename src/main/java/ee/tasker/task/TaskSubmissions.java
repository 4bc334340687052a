package ee.tasker.task;

import java.util.List;

/**
 * Submits tasks from Java. Joins the caller's JTA transaction, or begins its own: the task exists
 * if and only if that
 * transaction commits, and no step of it runs before. Inject it; it is part of the API jar.
 *
 * <p>Thread-safe. Throws {@link ee.tasker.platform.Problem} for an invalid request; the caller must
 * then roll back the transaction.
 */
public interface TaskSubmissions {

  /** @return the new task, or the existing one when the request is a duplicate */
  SubmittedTask submit(TaskRequest request);

  /** All or none, in one call to the database; results in the order of the requests. */
  List<SubmittedTask> submitAll(List<TaskRequest> requests);
}
