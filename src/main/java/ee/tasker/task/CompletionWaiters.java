package ee.tasker.task;

import ee.tasker.engine.model.TaskState;
import ee.tasker.engine.reply.EndedTask;
import ee.tasker.message.EndListener;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Completes the futures of callers that wait on this server for a task to become terminal, or
 * blocked until an operator
 * acts. It does not hear of tasks that end on another server; callers therefore poll the database
 * as well.
 */
@ApplicationScoped
public class CompletionWaiters implements EndListener {
  private static final Log LOG = Log.of(CompletionWaiters.class);
  private static final int REMEMBERED = 1_000;

  @Inject
  private Meters meters;

  private final Map<UUID, Set<CompletableFuture<EndedTask>>> awaited = new ConcurrentHashMap<>();
  /** The tasks that recently became terminal or blocked on this server. */
  private final Map<UUID, TaskState> recent = Collections.synchronizedMap(new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<UUID, TaskState> eldest) {
      return size() > REMEMBERED;
    }
  });

  /**
   * Completes when the task becomes terminal or blocked. Call it before you read the
   * task, and {@link #forget} afterwards.
   */
  public CompletableFuture<EndedTask> await(UUID taskUuid) {
    CompletableFuture<EndedTask> future = new CompletableFuture<>();
    awaited.compute(taskUuid, (uuid, others) -> {
      Set<CompletableFuture<EndedTask>> futures = others == null ? ConcurrentHashMap.newKeySet()
          : others;
      futures.add(future);
      return futures;
    });
    return future;
  }

  /**
   * The same for a task that this server created a moment ago: completes also when the task has
   * already ended, so that the
   * caller need not read it. Not for other tasks: an operator may have resumed one that had ended.
   */
  public CompletableFuture<EndedTask> awaitNew(UUID taskUuid) {
    CompletableFuture<EndedTask> future = await(taskUuid);
    TaskState state = recent.get(taskUuid);
    if (state != null) {
      future.complete(EndedTask.of(taskUuid, state));
    }
    return future;
  }

  /** The caller no longer waits. */
  public void forget(UUID taskUuid, CompletableFuture<EndedTask> future) {
    awaited.computeIfPresent(taskUuid, (uuid, futures) -> {
      futures.remove(future);
      return futures.isEmpty() ? null : futures;
    });
  }

  @Override
  public void tasksEnded(List<EndedTask> ended) {
    for (EndedTask task : ended) {
      LOG.write(LogEvent.TASK_ENDED, "task", task.taskUuid(), "correlation",
          task.correlationId().orElse(null), "state", task.state());
      if (task.state().isSuccess()) {
        meters.taskCompleted();
      } else if (task.state().isFailure()) {
        meters.taskFailed();
      }
      observed(task);
    }
  }

  @Override
  public boolean isAwaited(UUID taskUuid) {
    return awaited.containsKey(taskUuid);
  }

  /** The task was seen in this state. */
  public void observed(EndedTask task) {
    if (task.state().isTerminalOrBlocked()) {
      // Without its document: that would be of the past when it is asked for.
      recent.put(task.taskUuid(), task.state());
      Set<CompletableFuture<EndedTask>> futures = awaited.remove(task.taskUuid());
      if (futures != null) {
        futures.forEach(future -> future.complete(task));
      }
    }
  }
}
