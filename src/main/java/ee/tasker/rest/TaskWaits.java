package ee.tasker.rest;

import ee.tasker.task.TaskEndings;
import ee.tasker.task.Tasks;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Holds an answer until a task is at rest, without holding a thread. This server's own endings are heard at once; a task
 * that ends on another server is found by looking twice a second.
 */
@ApplicationScoped
public class TaskWaits {
  private static final long LOOK_EVERY_MS = 500;

  @Resource
  private ManagedExecutorService executor;

  @Resource
  private ManagedScheduledExecutorService timers;

  @Inject
  private Tasks tasks;

  @Inject
  private TaskEndings endings;

  /** Answers with the task as it is when it comes to rest, or after {@code seconds} as it is then. */
  void answerAtRest(UUID taskUuid, int seconds, AsyncResponse answer, Function<JsonObject, Response> toResponse) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    if (seconds == 0) {
      answer.resume(toResponse.apply(tasks.describe(taskUuid).orElseThrow(() -> Tasks.notFound(taskUuid))));
      return;
    }
    CompletableFuture<String> ending = endings.await(taskUuid);
    ending.thenRunAsync(() -> look(taskUuid, deadline, ending, answer, toResponse), executor);
    look(taskUuid, deadline, ending, answer, toResponse);
  }

  private void look(UUID taskUuid, long deadline, CompletableFuture<String> ending, AsyncResponse answer,
      Function<JsonObject, Response> toResponse) {
    if (answer.isDone()) {
      return;
    }
    try {
      String state = tasks.state(taskUuid).orElseThrow(() -> Tasks.notFound(taskUuid));
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (TaskEndings.isAtRest(state) || leftMs <= 0) {
        endings.forget(taskUuid, ending);
        answer.resume(toResponse.apply(tasks.describe(taskUuid).orElseThrow(() -> Tasks.notFound(taskUuid))));
      } else {
        timers.schedule(() -> look(taskUuid, deadline, ending, answer, toResponse), Math.min(LOOK_EVERY_MS, leftMs + 1), TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException problem) {
      endings.forget(taskUuid, ending);
      answer.resume(problem);
    }
  }
}
