package ee.tasker.platform.thread;

import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
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
 * Threads reserved for one purpose. A task gets a new thread while none is idle, up to a bound, and
 * is queued beyond it. A
 * thread ends after a minute of idleness. Each task runs in the context of its submitter, as with
 * the server's managed
 * executors. Thread-safe.
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
   * @param most       the maximum number of threads
   * @param contextual gives a task the context of the calling thread
   */
  ThreadPool(String name, int most, ThreadFactory factory, UnaryOperator<Runnable> contextual) {
    this.name = name;
    this.contextual = contextual;
    threads = new ThreadPoolExecutor(1, most, IDLE_SECONDS, TimeUnit.SECONDS, waiting, factory,
        this::await);
    timers = new Timers(factory);
  }

  /**
   * Reports that it is full while no thread is idle, so that the executor creates a thread instead
   * of queueing.
   */
  private static final class IdleFirst extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }

    /** Not {@code add}, which calls {@code offer} in some releases of Java. */
    private void await(Runnable task) {
      super.offer(task);
    }
  }

  /** The maximum number of threads is busy. */
  private void await(Runnable task, ThreadPoolExecutor full) {
    if (full.isShutdown()) {
      throw new RejectedExecutionException("the application is stopping");
    }
    waiting.await(task);
  }

  /** @throws RejectedExecutionException when the application is stopping */
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

  /**
   * An abandoned task may fail because the application's beans and classes are gone: not a fault of
   * the task.
   */
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
   * Starts delayed tasks on these threads. The timer thread does nothing else, so that nothing
   * delays it. A periodic task
   * that is still running when its next run is due skips that run.
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
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period,
        TimeUnit unit) {
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

  /** The current number of threads, busy or idle. */
  public int size() {
    return threads.getPoolSize();
  }

  /** Changes the maximum number of threads; surplus threads end when they become idle. */
  public void resize(int most) {
    threads.setMaximumPoolSize(most);
  }

  /** Accepts no more tasks, ends idle threads and interrupts busy ones. */
  void stop() {
    timers.shutdownNow();
    threads.shutdownNow();
  }
}
