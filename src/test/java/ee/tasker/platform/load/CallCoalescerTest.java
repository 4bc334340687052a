package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallCoalescerTest {
  private static final int ENOUGH_FOR_ANOTHER_CALL = 4;

  private final ManualTimers timers = new ManualTimers();
  private final AtomicInteger looks = new AtomicInteger();
  private final CallCoalescer calls = new CallCoalescer(2, ENOUGH_FOR_ANOTHER_CALL, timers,
      looks::incrementAndGet, timers::nanoTime);

  @Test
  void lone_one_goes_at_once_and_so_does_the_next_after_it() {
    calls.added(1);
    assertThat(calls.tryAcquire()).isTrue();
    calls.took(1, 1);
    calls.release();
    assertThat(calls.tryAcquire()).isTrue();
    assertThat(timers.planned).isEmpty();
  }

  @Test
  void enough_that_wait_are_worth_a_call_beside_the_first_and_never_a_third() {
    calls.tryAcquire();
    calls.added(ENOUGH_FOR_ANOTHER_CALL);
    assertThat(calls.tryAcquire()).isTrue();
    assertThat(calls.tryAcquire()).isFalse();
    calls.release();
    assertThat(calls.tryAcquire()).isTrue();
  }

  @Test
  void caller_that_was_turned_away_is_retried_when_the_call_under_way_hangs() {
    calls.tryAcquire();
    calls.added(1);
    assertThat(calls.tryAcquire()).as("the call under way is quick so far").isFalse();
    assertThat(calls.tryAcquire()).isFalse();
    assertThat(timers.planned).as("one retry for all that were turned away").hasSize(1);

    timers.advance(Duration.ofMillis(20));

    assertThat(looks).hasValue(1);
    assertThat(calls.tryAcquire()).as("the call under way is slow").isTrue();
    assertThat(calls.tryAcquire()).as("no third call").isFalse();
  }

  @Test
  void next_caller_that_is_turned_away_after_a_retry_has_one_of_its_own() {
    calls.tryAcquire();
    calls.added(1);
    calls.tryAcquire();
    timers.advance(Duration.ofMillis(20));
    assertThat(calls.tryAcquire()).isTrue();
    calls.release();
    assertThat(calls.tryAcquire()).as("the last call began a moment ago").isFalse();

    timers.advance(Duration.ofMillis(20));

    assertThat(looks).hasValue(2);
  }

  @Test
  void nothing_is_retried_when_all_were_taken_along() {
    calls.tryAcquire();
    calls.added(1);
    calls.tryAcquire();
    calls.took(1, 1);

    timers.advance(Duration.ofMillis(20));

    assertThat(timers.planned).isEmpty();
    assertThat(looks).hasValue(0);
  }

  @Test
  void server_that_goes_down_plans_no_retry_and_turns_the_caller_away() {
    timers.isDown = true;
    calls.tryAcquire();
    calls.added(1);

    assertThat(calls.tryAcquire()).isFalse();
    timers.isDown = false;
    assertThat(calls.tryAcquire()).isFalse();
    assertThat(timers.planned).as("the plan that was refused does not keep the next one away")
        .hasSize(1);
  }

  @Test
  void under_load_the_next_call_waits_for_more_and_is_retried() {
    load();
    calls.added(1);

    assertThat(calls.tryAcquire()).as("a call began a moment ago").isFalse();
    assertThat(calls.tryAcquire()).isFalse();
    assertThat(timers.planned).as("one retry for all that were turned away").hasSize(1);

    timers.advance(Duration.ofMillis(3));
    assertThat(looks).hasValue(1);
    assertThat(calls.tryAcquire()).isTrue();
  }

  @Test
  void enough_that_wait_are_not_paused_under_load() {
    load();
    calls.added(ENOUGH_FOR_ANOTHER_CALL);

    assertThat(calls.tryAcquire()).isTrue();
  }

  @Test
  void no_one_is_paused_while_the_server_goes_down() {
    load();
    calls.added(1);
    timers.isDown = true;

    assertThat(calls.tryAcquire()).as("no timer would bring the retry").isTrue();
  }

  /** Three tasks in each call of two milliseconds; the last one begins now. */
  private void load() {
    for (int call = 0; call < 60; call++) {
      calls.added(3);
      timers.advance(Duration.ofMillis(1));
      assertThat(calls.tryAcquire()).isTrue();
      calls.took(3, 3);
      timers.advance(Duration.ofMillis(2));
      calls.release();
    }
  }

  /**
   * The race that matters: an entry that comes while a caller is about to leave is found by that
   * caller, or its own is let in.
   */
  @Test
  void no_entry_is_left_behind_by_threads_that_come_and_go() throws Exception {
    Queue<Integer> waiting = new ConcurrentLinkedQueue<>();
    AtomicInteger taken = new AtomicInteger();
    CallCoalescer shared = new CallCoalescer(1, Integer.MAX_VALUE, timers, looks::incrementAndGet,
        () -> 0);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        done.add(threads.submit(() -> {
          for (int entry = 0; entry < 5_000; entry++) {
            waiting.add(entry);
            shared.added(1);
            takeWhileLetIn(shared, waiting, taken);
          }
        }));
      }
      for (Future<?> each : done) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(waiting).isEmpty();
    assertThat(taken).hasValue(20_000);
  }

  private static void takeWhileLetIn(CallCoalescer shared, Queue<Integer> waiting,
      AtomicInteger taken) {
    while (!waiting.isEmpty()) {
      if (!shared.tryAcquire()) {
        return;
      }
      try {
        if (waiting.poll() != null) {
          shared.took(1, 1);
          taken.incrementAndGet();
        }
      } finally {
        shared.release();
      }
    }
  }

  /** Timers whose time only the test moves. They never start a thread. */
  private static final class ManualTimers extends ScheduledThreadPoolExecutor {
    private record Planned(long atNanos, Runnable task) {
    }

    private final Queue<Planned> planned = new ArrayDeque<>();
    private long now = 1;
    private boolean isDown;

    private ManualTimers() {
      super(0);
    }

    private long nanoTime() {
      return now;
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      if (isDown) {
        throw new RejectedExecutionException("the server goes down");
      }
      planned.add(new Planned(now + unit.toNanos(delay), task));
      return null;
    }

    private void advance(Duration time) {
      now += time.toNanos();
      while (!planned.isEmpty() && planned.peek().atNanos() <= now) {
        planned.poll().task().run();
      }
    }
  }
}
