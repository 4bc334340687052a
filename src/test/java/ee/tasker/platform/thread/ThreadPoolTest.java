package ee.tasker.platform.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bound is for a pool that runs what blocks on the thread of the test. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadPoolTest {
  private final AtomicInteger threadsLeft = new AtomicInteger(Integer.MAX_VALUE);
  private final List<Thread> made = new CopyOnWriteArrayList<>();
  private final ThreadFactory factory = task -> {
    if (threadsLeft.getAndDecrement() <= 0) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    made.add(thread);
    return thread;
  };
  private final List<String> contexts = new CopyOnWriteArrayList<>();
  private final CountDownLatch open = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);

  private ThreadPool pool = pool(3);

  private ThreadPool pool(int most) {
    return new ThreadPool("test", most, factory, task -> {
      String caller = Thread.currentThread().getName();
      return () -> {
        contexts.add(caller);
        task.run();
      };
    });
  }

  /** All threads have ended before the next test begins, which would see what they still write. */
  @AfterEach
  void stop() throws InterruptedException {
    open.countDown();
    pool.stop();
    for (Thread thread : made) {
      thread.join(TimeUnit.SECONDS.toMillis(30));
      assertThat(thread.isAlive()).isFalse();
    }
  }

  private void block() {
    begun.release();
    boolean isOpen = false;
    while (!isOpen) {
      try {
        isOpen = open.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        isOpen = open.getCount() == 0;
      }
    }
  }

  private void awaitBegun(int tasks) throws InterruptedException {
    assertThat(begun.tryAcquire(tasks, 30, TimeUnit.SECONDS)).as("%d tasks have a thread", tasks)
        .isTrue();
  }

  @Test
  void each_task_that_blocks_has_a_thread_up_to_the_bound_and_the_rest_waits()
      throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      pool.execute(this::block);
    }
    awaitBegun(3);
    assertThat(pool.size()).isEqualTo(3);
    assertThat(begun.availablePermits()).isZero();

    open.countDown();
    awaitBegun(2);
  }

  @Test
  void idle_thread_is_taken_before_another_is_made() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      CountDownLatch done = new CountDownLatch(1);
      pool.execute(done::countDown);
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }
    // A thread is idle a moment after its task is done.
    assertThat(pool.size()).isLessThanOrEqualTo(3);
    CountDownLatch both = new CountDownLatch(2);
    pool.execute(both::countDown);
    pool.execute(both::countDown);
    assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void raised_bound_gives_the_next_task_a_thread() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      pool.execute(this::block);
    }
    awaitBegun(3);
    pool.resize(4);
    pool.execute(this::block);
    awaitBegun(1);
    assertThat(pool.size()).isEqualTo(4);
  }

  @Test
  void task_runs_in_the_context_of_its_caller() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(2);
    pool.execute(done::countDown);
    pool.timers().schedule(done::countDown, 1, TimeUnit.MILLISECONDS);

    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(contexts).containsOnly(Thread.currentThread().getName()).hasSize(2);
  }

  @Test
  void thread_that_keeps_the_time_never_runs_a_task() throws InterruptedException {
    pool.timers().schedule(this::block, 0, TimeUnit.MILLISECONDS);
    pool.timers().schedule(this::block, 0, TimeUnit.MILLISECONDS);
    awaitBegun(2);

    CountDownLatch due = new CountDownLatch(1);
    pool.timers().schedule(due::countDown, 1, TimeUnit.MILLISECONDS);
    assertThat(due.await(30, TimeUnit.SECONDS)).as("two tasks block, and the third comes in time")
        .isTrue();
  }

  @Test
  void periodic_task_that_is_still_running_is_not_begun_again() throws InterruptedException {
    pool.timers().scheduleAtFixedRate(this::block, 0, 1, TimeUnit.MILLISECONDS);
    awaitBegun(1);
    AtomicInteger ticks = new AtomicInteger();
    pool.timers().scheduleAtFixedRate(ticks::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
    while (ticks.get() < 20) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(begun.availablePermits()).isZero();

    open.countDown();
    awaitBegun(1);
  }

  @Test
  void task_that_throws_costs_no_thread_and_no_later_task() throws InterruptedException {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch twice = new CountDownLatch(2);
    pool.timers().scheduleAtFixedRate(() -> {
      runs.incrementAndGet();
      twice.countDown();
      throw new IllegalStateException("of a test");
    }, 0, 1, TimeUnit.MILLISECONDS);

    assertThat(twice.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void task_waits_for_a_thread_when_none_can_be_made() throws InterruptedException {
    pool.execute(this::block);
    awaitBegun(1);
    threadsLeft.set(0);
    CountDownLatch done = new CountDownLatch(1);
    pool.execute(done::countDown);
    assertThat(done.getCount()).isEqualTo(1);

    open.countDown();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void stopped_pool_refuses_tasks_and_interrupts_those_that_run() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    pool.execute(() -> {
      begun.release();
      try {
        open.await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    });
    awaitBegun(1);
    pool.stop();

    assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> pool.execute(this::block))
        .isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> pool.timers().schedule(this::block, 0, TimeUnit.SECONDS))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void task_that_fails_is_an_error_and_one_that_outlives_the_application_is_none()
      throws InterruptedException {
    List<LogRecord> told = new CopyOnWriteArrayList<>();
    Semaphore written = new Semaphore(0);
    Logger logger = Logger.getLogger(ThreadPool.class.getName());
    Handler listener = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        told.add(entry);
        written.release();
      }

      @Override
      public void flush() {
        // nothing is retained
      }

      @Override
      public void close() {
        // nothing is open
      }
    };
    logger.addHandler(listener);
    try {
      pool.execute(() -> {
        throw new IllegalStateException("a defect");
      });
      assertThat(written.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
      pool.execute(() -> {
        block();
        throw new IllegalStateException("no such bean any more");
      });
      pool.execute(() -> {
        block();
        throw new NoClassDefFoundError("ee/tasker/Gone");
      });
      awaitBegun(2);
      pool.stop();
      open.countDown();
      assertThat(written.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
    } finally {
      logger.removeHandler(listener);
    }

    assertThat(told.get(0).getLevel()).isEqualTo(Level.SEVERE);
    assertThat(told.get(0).getMessage()).startsWith("TK1011 ");
    assertThat(told.get(0).getThrown()).hasMessage("a defect");
    assertThat(told.subList(1, 3)).allSatisfy(late -> {
      assertThat(late.getLevel()).isEqualTo(Level.INFO);
      assertThat(late.getMessage()).startsWith("TK1012 ").contains("threads=test");
      assertThat(late.getThrown()).as("no stack trace").isNull();
    }).extracting(LogRecord::getMessage).anyMatch(line -> line.contains("no such bean"))
        .anyMatch(line -> line.contains("Gone"));
  }
}
