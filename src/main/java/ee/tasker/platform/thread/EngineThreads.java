package ee.tasker.platform.thread;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The engine's own threads: timeouts, heartbeats, cancellations, result submissions, claims and
 * orchestrator loops. They
 * wait for the database only, and their number is bounded by the kinds of such calls; handlers,
 * requests and streams have
 * other threads.
 */
@ApplicationScoped
public class EngineThreads implements Executor {
  /**
   * How many calls that submit results a server makes at a time, and as many beside them for small
   * requests of workers outside the servers.
   */
  public static final int RESULT_CALLS = 2;
  /** Each caller makes one call at a time, or two; there are fewer than half as many callers. */
  private static final int CALLERS = 24;

  @Inject
  private ThreadPools pools;

  private ThreadPool pool;

  @PostConstruct
  void prepare() {
    pool = pools.make("engine", CALLERS + RESULT_CALLS);
  }

  /** @throws RejectedExecutionException when the application is stopping */
  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Schedules delayed tasks, which run on these threads too. */
  public ScheduledExecutorService timers() {
    return pool.timers();
  }
}
