package ee.tasker.platform;

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
  /** Each caller makes one call at a time, or two; there are fewer than half as many callers. */
  private static final int CALLERS = 24;

  @Inject
  private ThreadPools pools;

  @Inject
  private Settings settings;

  private ThreadPool pool;

  @PostConstruct
  void prepare() {
    pool = pools.make("engine", CALLERS + settings.worker().flushers());
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
