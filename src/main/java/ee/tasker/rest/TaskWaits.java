package ee.tasker.rest;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.ThreadPool;
import ee.tasker.platform.ThreadPools;
import ee.tasker.task.CompletionWaiters;
import ee.tasker.task.Tasks;
import jakarta.annotation.PostConstruct;
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
 * Delays a response until a task is terminal or blocked, without blocking a thread. Tasks that finish on this server
 * complete the wait at once; for tasks that finish on another server it polls twice a second.
 */
@ApplicationScoped
public class TaskWaits {
  private static final long POLL_EVERY_MS = 500;

  /** There may be many waits, and each poll is short. These threads serve nothing else. */
  private static final int THREADS = 8;

  @Inject
  private ThreadPools pools;

  @Inject
  private Tasks tasks;

  @Inject
  private CompletionWaiters completionWaiters;

  private ThreadPool threads;

  @PostConstruct
  void prepare() {
    threads = pools.make("wait", THREADS);
  }

  /** Responds with the task once it is terminal or blocked, or with its current state after {@code seconds}. */
  void answerWhenEnded(UUID taskUuid, int seconds, AsyncResponse answer, Function<JsonObject, Response> toResponse) {
    answerWhenEnded(taskUuid, null, seconds, answer, toResponse);
  }

  /** @param mostBytes a longer context or output is left out; null for all */
  void answerWhenEnded(UUID taskUuid, Integer mostBytes, int seconds, AsyncResponse answer, Function<JsonObject, Response> toResponse) {
    if (seconds == 0) {
      answer.resume(toResponse.apply(tasks.describe(taskUuid, mostBytes).orElseThrow(() -> Tasks.notFound(taskUuid))));
      return;
    }
    poll(wait(taskUuid, mostBytes, completionWaiters.await(taskUuid), seconds, answer, toResponse));
  }

  /** The same for a task that this server has just created: no earlier completion can have been missed. */
  void answerNewWhenEnded(UUID taskUuid, int seconds, AsyncResponse answer, Function<JsonObject, Response> toResponse) {
    pollLater(wait(taskUuid, null, completionWaiters.awaitNew(taskUuid), seconds, answer, toResponse), TimeUnit.SECONDS.toMillis(seconds));
  }

  private record Wait(UUID taskUuid, Integer mostBytes, long deadline, CompletableFuture<TaskState> ending, AsyncResponse answer,
      Function<JsonObject, Response> toResponse) {
  }

  private Wait wait(UUID taskUuid, Integer mostBytes, CompletableFuture<TaskState> ending, int seconds, AsyncResponse answer,
      Function<JsonObject, Response> toResponse) {
    Wait wait = new Wait(taskUuid, mostBytes, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds), ending, answer, toResponse);
    ending.thenRunAsync(() -> answer(wait), threads);
    return wait;
  }

  private void pollLater(Wait wait, long leftMs) {
    threads.timers().schedule(() -> poll(wait), Math.min(POLL_EVERY_MS, leftMs + 1), TimeUnit.MILLISECONDS);
  }

  private void poll(Wait wait) {
    if (wait.answer().isDone()) {
      return;
    }
    try {
      TaskState state = tasks.state(wait.taskUuid()).orElseThrow(() -> Tasks.notFound(wait.taskUuid()));
      long leftMs = TimeUnit.NANOSECONDS.toMillis(wait.deadline() - System.nanoTime());
      if (state.isTerminalOrBlocked() || leftMs <= 0) {
        answer(wait);
      } else {
        pollLater(wait, leftMs);
      }
    } catch (Exception problem) {
      fail(wait, problem);
    }
  }

  /** Responds once; later calls do nothing. */
  private void answer(Wait wait) {
    if (wait.answer().isDone()) {
      return;
    }
    try {
      completionWaiters.forget(wait.taskUuid(), wait.ending());
      wait.answer().resume(
          wait.toResponse().apply(tasks.describe(wait.taskUuid(), wait.mostBytes()).orElseThrow(() -> Tasks.notFound(wait.taskUuid()))));
    } catch (Exception problem) {
      fail(wait, problem);
    }
  }

  private void fail(Wait wait, Exception problem) {
    completionWaiters.forget(wait.taskUuid(), wait.ending());
    wait.answer().resume(problem);
  }
}
