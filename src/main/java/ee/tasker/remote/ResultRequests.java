package ee.tasker.remote;

import ee.tasker.engine.reply.WorkerResultsReply;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.load.CallCoalescer;
import ee.tasker.platform.load.RoundRobin;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * The results of external workers on their way to the database. A request with many results, and
 * one that finds no call under way, is submitted at
 * once, by its own thread. Small requests that arrive while a call is under way go together in the
 * next: one transaction and one commit, in which
 * each gets its own verdicts and next claims. What the database refuses of one request does not
 * hurt the others. Thread-safe.
 */
@ApplicationScoped
class ResultRequests {
  private static final Log LOG = Log.of(ResultRequests.class);
  /** As for the results of handlers: larger calls cost a step little less. */
  private static final int ENOUGH_FOR_ANOTHER_CALL = 64;
  private static final int MOST_RESULTS = 500;
  /**
   * A request with so many is a call worth its commit: its worker would wait for the results of
   * others and gain nothing.
   */
  private static final int ENOUGH_FOR_A_CALL_OF_ITS_OWN = 10;

  private record Waiting(ResultRequest request, CompletableFuture<WorkerResultsReply> reply) {
    int results() {
      return request.results().size();
    }
  }

  /** By worker: one that sends many requests does not hold up the others. */
  private final RoundRobin<Waiting> waiting = new RoundRobin<>();
  private CallCoalescer coalescer;
  private Executor threads;
  private Function<ResultRequest, WorkerResultsReply> one;
  private Function<List<ResultRequest>, List<WorkerResultsReply>> several;

  @Inject
  void connect(ThreadPools pools, RemoteCalls calls) {
    ThreadPool pool = pools.make("results", EngineThreads.RESULT_CALLS);
    connect(pool, pool.timers(), EngineThreads.RESULT_CALLS, calls::submit, calls::submit);
  }

  /** @param most how many calls there are at a time */
  void connect(Executor threads, ScheduledExecutorService timers, int most,
      Function<ResultRequest, WorkerResultsReply> one,
      Function<List<ResultRequest>, List<WorkerResultsReply>> several) {
    this.threads = threads;
    this.one = one;
    this.several = several;
    coalescer = new CallCoalescer(most, ENOUGH_FOR_ANOTHER_CALL, timers, this::callSoon);
  }

  /** Returns when the request's transaction is committed; throws what its call has thrown. */
  WorkerResultsReply submit(ResultRequest request) {
    if (request.results().size() >= ENOUGH_FOR_A_CALL_OF_ITS_OWN) {
      return one.apply(request);
    }
    Waiting mine = new Waiting(request, new CompletableFuture<>());
    waiting.add(request.worker().toString(), mine);
    coalescer.added(request.results().size());
    if (call() && !waiting.isEmpty()) {
      // Not on this thread, whose own request is answered.
      callSoon();
    }
    try {
      return mine.reply().get();
    } catch (ExecutionException fault) {
      if (fault.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(fault.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while results were submitted", e);
    }
  }

  /** How many requests wait for a call. */
  int count() {
    return waiting.size();
  }

  private void callSoon() {
    try {
      threads.execute(() -> {
        while (!waiting.isEmpty() && call()) {
          // The next.
        }
      });
    } catch (RejectedExecutionException stopping) {
      // The server is stopping: the threads of the requests that wait end with their connections.
      failAll(stopping);
    }
  }

  private void failAll(RuntimeException fault) {
    List<Waiting> all = take(Integer.MAX_VALUE);
    all.forEach(each -> each.reply().completeExceptionally(fault));
  }

  private List<Waiting> take(int mostResults) {
    List<Waiting> batch = waiting.takeInTurns(Integer.MAX_VALUE, mostResults, Waiting::results);
    coalescer.added(-batch.stream().mapToInt(Waiting::results).sum());
    return batch;
  }

  /**
   * @return whether this thread made a call, or found nothing to submit; false when others make all
   * calls that are allowed and go on
   */
  private boolean call() {
    if (!coalescer.tryAcquire()) {
      return false;
    }
    List<Waiting> batch = List.of();
    try {
      batch = take(MOST_RESULTS);
      if (batch.size() > 1) {
        submitTogether(batch);
      } else {
        batch.forEach(this::submitAlone);
      }
      return true;
    } finally {
      coalescer.release();
      // After an error that is no exception: no request waits for an answer that does not come.
      batch.forEach(each -> each.reply()
          .completeExceptionally(new IllegalStateException("the results could not be submitted")));
    }
  }

  private void submitAlone(Waiting each) {
    try {
      each.reply().complete(one.apply(each.request()));
    } catch (RuntimeException fault) {
      each.reply().completeExceptionally(fault);
    }
  }

  private void submitTogether(List<Waiting> batch) {
    List<WorkerResultsReply> replies;
    try {
      replies = several.apply(batch.stream().map(Waiting::request).toList());
    } catch (RuntimeException fault) {
      if (DatabaseFaults.isRefusal(fault)) {
        // Nothing is committed: one of them may be the cause.
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "submit_results_of_workers", "requests",
            batch.size());
        batch.forEach(this::submitAlone);
      } else {
        batch.forEach(each -> each.reply().completeExceptionally(fault));
      }
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      if (replies.get(i).isRefused()) {
        submitAlone(batch.get(i));
      } else {
        batch.get(i).reply().complete(replies.get(i));
      }
    }
  }
}
