package ee.tasker.platform;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * Threads for one purpose, which no other purpose can take: a new one while none is idle, up to a bound; what comes beyond the bound
 * waits. A thread that has been idle for a minute ends. Each task runs in the context of the caller that brings it, as with a
 * managed executor of the server. Thread-safe.
 */
public final class ThreadPool implements Executor {
  private static final Log LOG = Log.of(ThreadPool.class);
  private static final long IDLE_SECONDS = 60;

  private final String name;
  private final UnaryOperator<Runnable> contextual;
  private final IdleFirst waiting = new IdleFirst();
  private final ThreadPoolExecutor threads;
  private final Timers timers;

  /**
   * @param most       threads at a time
   * @param contextual gives a task the context of the calling thread
   */
  ThreadPool(String name, int most, ThreadFactory factory, UnaryOperator<Runnable> contextual) {
    this.name = name;
    this.contextual = contextual;
    threads = new ThreadPoolExecutor(1, most, IDLE_SECONDS, TimeUnit.SECONDS, waiting, factory, this::await);
    timers = new Timers(factory);
  }

  /** Says that it is full while no thread is idle, so that the executor makes another one instead of queueing. */
  private static final class IdleFirst extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }

    /** Not by {@code add}, which is an {@code offer} in some releases of Java. */
    private void await(Runnable task) {
      super.offer(task);
    }
  }

  /** As many threads as there may be are busy. */
  private void await(Runnable task, ThreadPoolExecutor full) {
    if (full.isShutdown()) {
      throw new RejectedExecutionException("the application is going down");
    }
    waiting.await(task);
  }

  /** @throws RejectedExecutionException when the application is going down */
  @Override
  public void execute(Runnable task) {
    start(contextual.apply(task));
  }

  private void start(Runnable task) {
    Runnable logged = () -> runLogged(task);
    try {
      threads.execute(logged);
    } catch (OutOfMemoryError noThread) {
      LOG.write(LogEvent.NO_THREAD, "threads", name, "now", size(), "cause", noThread.getMessage());
      if (size() == 0) {
        throw noThread;
      }
      waiting.await(logged);
    }
  }

  /** What an abandoned task needs to end properly may be gone with the application, its beans and its classes: no fault of the task. */
  private void runLogged(Runnable task) {
    try {
      task.run();
    } catch (Exception | LinkageError fault) {
      if (threads.isShutdown()) {
        LOG.write(LogEvent.TASK_OUTLIVED, "threads", name, "cause", fault);
        return;
      }
      LOG.write(LogEvent.TASK_FAILED, fault, "threads", name);
    }
  }

  /**
   * Starts tasks on these threads when their time has come. The thread that keeps the time does nothing else, so that nothing makes it late. A periodic task
   * that is still running when its time comes round leaves that time out.
   */
  public ScheduledExecutorService timers() {
    return timers;
  }

  private final class Timers extends ScheduledThreadPoolExecutor {

    private Timers(ThreadFactory factory) {
      super(1, factory);
      setRemoveOnCancelPolicy(true);
      setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      Runnable started = contextual.apply(task);
      return super.schedule(() -> {
        startQuietly(started);
      }, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
      Runnable started = contextual.apply(task);
      AtomicBoolean underWay = new AtomicBoolean();
      Runnable guarded = () -> {
        try {
          started.run();
        } finally {
          underWay.set(false);
        }
      };
      return super.scheduleAtFixedRate(() -> {
        if (underWay.compareAndSet(false, true) && !startQuietly(guarded)) {
          underWay.set(false);
        }
      }, initialDelay, period, unit);
    }

    private boolean startQuietly(Runnable task) {
      try {
        start(task);
        return true;
      } catch (RejectedExecutionException stopping) {
        return false;
      }
    }
  }

  public String name() {
    return name;
  }

  /** Threads that there are now, busy or idle. */
  public int size() {
    return threads.getPoolSize();
  }

  /** As many threads at most from now on; those that are too many end when they are idle. */
  public void resize(int most) {
    threads.setMaximumPoolSize(most);
  }

  /** Takes nothing more and ends every thread that is idle or becomes so. A thread that is busy is interrupted. */
  void stop() {
    timers.shutdownNow();
    threads.shutdownNow();
  }
}
