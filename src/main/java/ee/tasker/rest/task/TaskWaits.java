package ee.tasker.rest.task;

import ee.tasker.engine.model.TaskState;
import ee.tasker.engine.reply.EndedTask;
import ee.tasker.platform.Recheck;
import ee.tasker.platform.load.CallCoalescer;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import ee.tasker.security.Caller;
import ee.tasker.task.CompletionWaiters;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.Tasks;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Delays a response until a task has been created, or is terminal or blocked, without blocking a
 * thread. Tasks that finish on this server
 * complete the wait at once; for tasks that finish on another server it polls twice a second. Who
 * waits is checked again every
 * {@link Recheck#EVERY}.
 */
@ApplicationScoped
public class TaskWaits {
  private static final long POLL_EVERY_MS = 500;

  /** There may be many waits, and each poll is short. These threads serve nothing else. */
  private static final int THREADS = 8;
  /**
   * A document costs the database two thirds when it is read together with fifteen others, and
   * hardly less with more.
   */
  private static final int MOST_TOGETHER = 16;

  @Inject
  private ThreadPools pools;

  @Inject
  private Tasks tasks;

  @Inject
  private CompletionWaiters completionWaiters;

  private final Queue<Wait> ended = new ConcurrentLinkedQueue<>();
  private ThreadPool threads;
  private CallCoalescer reads;

  @PostConstruct
  void prepare() {
    threads = pools.make("wait", THREADS);
    reads = new CallCoalescer(2, MOST_TOGETHER, threads.timers(), this::answerEnded);
  }

  /**
   * Goes on with the response when the task has been created: on the caller's thread if it has been
   * by now. Otherwise the caller's thread does not wait.
   */
  void answerWhenCreated(CompletableFuture<SubmittedTask> creation, AsyncResponse answer,
      Consumer<SubmittedTask> next) {
    if (creation.isDone()) {
      goOn(creation, answer, next);
    } else {
      creation.whenCompleteAsync((task, failure) -> goOn(creation, answer, next), this::execute);
    }
  }

  /**
   * Also while the server is stopping: the task has been created, and its client should learn that.
   */
  private void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException stopping) {
      task.run();
    }
  }

  private static void goOn(CompletableFuture<SubmittedTask> creation, AsyncResponse answer,
      Consumer<SubmittedTask> next) {
    try {
      next.accept(creation.join());
    } catch (CompletionException failed) {
      answer.resume(failed.getCause());
    } catch (RuntimeException failed) {
      answer.resume(failed);
    }
  }

  /**
   * How to respond to a caller that waits, and what the caller may see.
   *
   * @param caller     as the request began
   * @param permission asked again while the caller waits
   * @param toResponse makes the response from the task, for the caller with its present grants, or
   *   for one who has lost the right to wait
   */
  record Reply(Caller caller, Recheck<Caller> permission,
      BiFunction<Recheck.Outcome<Caller>, JsonObject, Response> toResponse) {
  }

  /**
   * Responds with the task once it is terminal or blocked, or with its current state after {@code
   * seconds}.
   */
  void answerWhenEnded(UUID taskUuid, int seconds, AsyncResponse answer, Reply reply) {
    answerWhenEnded(taskUuid, null, seconds, answer, reply);
  }

  /** @param mostBytes a longer context or output is left out; null for all */
  void answerWhenEnded(UUID taskUuid, Integer mostBytes, int seconds, AsyncResponse answer,
      Reply reply) {
    if (seconds == 0) {
      answer.resume(reply.toResponse().apply(new Recheck.Outcome.Permitted<>(reply.caller()),
          tasks.describe(taskUuid, mostBytes).orElseThrow(() -> Tasks.notFound(taskUuid))));
      return;
    }
    poll(wait(taskUuid, mostBytes, completionWaiters.await(taskUuid), seconds, answer, reply));
  }

  /**
   * The same for a task that this server has just created: no earlier completion can have been
   * missed.
   */
  void answerNewWhenEnded(UUID taskUuid, int seconds, AsyncResponse answer, Reply reply) {
    pollLater(wait(taskUuid, null, completionWaiters.awaitNew(taskUuid), seconds, answer, reply),
        TimeUnit.SECONDS.toMillis(seconds));
  }

  private static final class Wait {
    private final UUID taskUuid;
    private final Integer mostBytes;
    private final long deadline;
    private final CompletableFuture<EndedTask> ending;
    private final AsyncResponse answer;
    private final Reply reply;
    private volatile Recheck.Outcome<Caller> permitted;
    private volatile long checkedAt = System.nanoTime();

    private Wait(UUID taskUuid, Integer mostBytes, CompletableFuture<EndedTask> ending, int seconds,
        AsyncResponse answer, Reply reply) {
      this.taskUuid = taskUuid;
      this.mostBytes = mostBytes;
      this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      this.ending = ending;
      this.answer = answer;
      this.reply = reply;
      this.permitted = new Recheck.Outcome.Permitted<>(reply.caller());
    }

    /** @return false when the caller has lost the right to wait; may take long */
    private boolean isStillPermitted() {
      if (System.nanoTime() - checkedAt >= Recheck.EVERY.toNanos()) {
        checkedAt = System.nanoTime();
        Recheck.Outcome<Caller> now = reply.permission().now();
        if (!(now instanceof Recheck.Outcome.PutOff)) {
          permitted = now;
        }
      }
      return permitted instanceof Recheck.Outcome.Permitted;
    }
  }

  private Wait wait(UUID taskUuid, Integer mostBytes, CompletableFuture<EndedTask> ending,
      int seconds, AsyncResponse answer, Reply reply) {
    Wait wait = new Wait(taskUuid, mostBytes, ending, seconds, answer, reply);
    ending.thenAcceptAsync(task -> ended(wait, task), threads);
    return wait;
  }

  private void pollLater(Wait wait, long leftMs) {
    threads.timers().schedule(() -> poll(wait), Math.min(POLL_EVERY_MS, leftMs + 1),
        TimeUnit.MILLISECONDS);
  }

  private void poll(Wait wait) {
    if (wait.answer.isDone()) {
      return;
    }
    try {
      TaskState state = tasks.state(wait.taskUuid).orElseThrow(() -> Tasks.notFound(wait.taskUuid));
      long leftMs = TimeUnit.NANOSECONDS.toMillis(wait.deadline - System.nanoTime());
      if (state.isTerminalOrBlocked() || leftMs <= 0 || !wait.isStillPermitted()) {
        answer(wait);
      } else {
        pollLater(wait, leftMs);
      }
    } catch (Exception problem) {
      fail(wait, problem);
    }
  }

  /**
   * What ended the task may have its document at hand. Otherwise tasks that end while others are
   * read are read together.
   */
  private void ended(Wait wait, EndedTask task) {
    if (wait.mostBytes == null && task.document().isPresent()) {
      answer(wait, task::document);
      return;
    }
    if (wait.mostBytes != null) {
      answer(wait);
      return;
    }
    ended.add(wait);
    reads.added(1);
    answerEnded();
  }

  private void answerEnded() {
    while (!ended.isEmpty()) {
      if (!reads.tryAcquire()) {
        // The thread that reads checks again.
        return;
      }
      try {
        answerTogether();
      } finally {
        reads.release();
      }
    }
  }

  private void answerTogether() {
    List<Wait> together = new ArrayList<>();
    for (Wait next; together.size() < MOST_TOGETHER && (next = ended.poll()) != null;) {
      together.add(next);
    }
    reads.took(together.size(), together.size());
    if (together.size() == 1) {
      answer(together.get(0));
      return;
    }
    Map<UUID, JsonObject> described;
    try {
      described = tasks.describe(together.stream().map(wait -> wait.taskUuid).toList());
    } catch (Exception fault) {
      // One that cannot be read must not fail the others.
      together.forEach(this::answer);
      return;
    }
    together.forEach(wait -> answer(wait, () -> Optional.ofNullable(described.get(wait.taskUuid))));
  }

  private void answer(Wait wait) {
    answer(wait, () -> tasks.describe(wait.taskUuid, wait.mostBytes));
  }

  /** Responds once; later calls do nothing. */
  private void answer(Wait wait, Supplier<Optional<JsonObject>> described) {
    if (wait.answer.isDone()) {
      return;
    }
    try {
      completionWaiters.forget(wait.taskUuid, wait.ending);
      wait.answer.resume(wait.reply.toResponse().apply(wait.permitted,
          described.get().orElseThrow(() -> Tasks.notFound(wait.taskUuid))));
    } catch (Exception problem) {
      fail(wait, problem);
    }
  }

  private void fail(Wait wait, Exception problem) {
    completionWaiters.forget(wait.taskUuid, wait.ending);
    wait.answer.resume(problem);
  }
}
