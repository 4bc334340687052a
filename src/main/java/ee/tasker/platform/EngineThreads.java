package ee.tasker.platform;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads of the engine itself: time-outs, heartbeats, cancels, result submissions, claims and rounds. They wait for nothing but the database, and no
 * more of them at a time than there are kinds of such calls; handlers, requests and those who listen have other threads.
 */
@ApplicationScoped
public class EngineThreads implements Executor {
  /** Each caller makes one call at a time, or two; there are less than half as many. */
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

  /** @throws RejectedExecutionException when the application is going down */
  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** For what is due later; it runs on these threads too. */
  public ScheduledExecutorService timers() {
    return pool.timers();
  }
}
