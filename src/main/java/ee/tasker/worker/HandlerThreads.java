package ee.tasker.worker;

import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import ee.tasker.platform.thread.WebContext;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/**
 * The threads that run handlers: one for each step of the capacity, and one more that submits
 * results while all others run handlers.
 */
@ApplicationScoped
class HandlerThreads {
  @Inject
  private ThreadPools pools;

  @Inject
  private LiveSettings live;

  @Inject
  private WebContext web;

  private ThreadPool pool;
  private final ThreadLocal<Boolean> isOne = new ThreadLocal<>();

  @PostConstruct
  void prepare() {
    pool = pools.make("handler", live.capacity() + 1);
  }

  /**
   * Runs the task in the context of the web application, whichever thread calls this method.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the application is stopping
   */
  void execute(Runnable task) {
    web.run(() -> pool.execute(() -> run(task)));
  }

  private void run(Runnable task) {
    isOne.set(true);
    try {
      task.run();
    } finally {
      isOne.remove();
    }
  }

  /** Whether the calling thread runs handlers. */
  boolean isCurrent() {
    return isOne.get() != null;
  }

  void resize(int capacity) {
    pool.resize(capacity + 1);
  }
}
