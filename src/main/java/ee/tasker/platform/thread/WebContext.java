package ee.tasker.platform.thread;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The context of the web application, for running application code on an executor. A thread gets
 * the context of its
 * submitter; if that is a session bean with container-managed transactions, as the poller's timer
 * is, Payara refuses {@code
 * UserTransaction}.
 */
@ApplicationScoped
public class WebContext {
  @Resource
  private ContextService contexts;

  private final List<Runnable> waiting = new ArrayList<>();
  private volatile Executor executor;

  /** Called by the web application, in its own context, when it has started. */
  public void hasStarted() {
    Executor captured = contexts.currentContextExecutor();
    List<Runnable> told;
    synchronized (waiting) {
      executor = captured;
      told = List.copyOf(waiting);
      waiting.clear();
    }
    told.forEach(Runnable::run);
  }

  /** False while servlets, and what they prepare for the application's beans, may not exist yet. */
  public boolean isStarted() {
    return executor != null;
  }

  /** Runs the action once the web application has started: now, or on the thread that starts it. */
  public void onceStarted(Runnable action) {
    synchronized (waiting) {
      if (executor == null) {
        waiting.add(action);
        return;
      }
    }
    action.run();
  }

  /**
   * Runs the action on this thread, in the context of the started web application. Only for
   * submitting to another thread,
   * which gets a context of its own: to Payara all threads in this context are one component, and
   * it enlists connections
   * that one of them has open in the transaction that another begins.
   */
  public void run(Runnable action) {
    executor.execute(action);
  }
}
