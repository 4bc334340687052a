package ee.tasker.worker;

import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.ThreadPool;
import ee.tasker.platform.ThreadPools;
import ee.tasker.platform.WebContext;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** The threads of handlers: as many as steps may run at a time, and one that finds out whether there is one more to run. */
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
   * Handlers see the context of the web application, whatever called them.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the application is going down
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

  /** Whether the calling thread is one of these. */
  boolean isCurrent() {
    return isOne.get() != null;
  }

  void resize(int capacity) {
    pool.resize(capacity + 1);
  }
}
