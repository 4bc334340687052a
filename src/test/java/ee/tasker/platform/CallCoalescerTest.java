package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallCoalescerTest {
  private static final int COMPANY = 3;

  private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
  private final CountDownLatch looked = new CountDownLatch(1);
  private final CallCoalescer calls = new CallCoalescer(2, COMPANY, timers, looked::countDown);

  @AfterEach
  void stop() {
    timers.shutdownNow();
  }

  @Test
  void lone_one_goes_at_once_and_so_does_the_next_after_it() {
    calls.added(1);
    assertThat(calls.tryAcquire()).isTrue();
    calls.added(-1);
    calls.release();
    assertThat(calls.tryAcquire()).isTrue();
  }

  @Test
  void enough_that_wait_are_worth_a_call_beside_the_first_and_never_a_third() {
    calls.tryAcquire();
    calls.added(COMPANY);
    assertThat(calls.tryAcquire()).isTrue();
    assertThat(calls.tryAcquire()).isFalse();
    calls.release();
    assertThat(calls.tryAcquire()).isTrue();
  }

  @Test
  void who_came_while_a_call_does_not_come_back_is_looked_after() throws InterruptedException {
    calls.tryAcquire();
    calls.added(1);
    // The first look of a slow machine may be late already; then it is let in, which is what is wanted.
    if (!calls.tryAcquire()) {
      assertThat(looked.await(30, TimeUnit.SECONDS)).as("somebody looks although nobody came back").isTrue();
      assertThat(calls.tryAcquire()).as("the call under way is slow").isTrue();
    }
    assertThat(calls.tryAcquire()).as("both places are taken").isFalse();
  }

  @Test
  void nobody_looks_when_all_were_taken_along() throws InterruptedException {
    CountDownLatch taken = new CountDownLatch(1);
    // The timer's only thread is kept until then.
    timers.execute(() -> awaited(taken));
    calls.tryAcquire();
    calls.added(1);
    calls.tryAcquire();
    calls.added(-1);
    taken.countDown();
    CountDownLatch after = new CountDownLatch(1);
    timers.schedule(after::countDown, 40, TimeUnit.MILLISECONDS);
    assertThat(after.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(looked.getCount()).isEqualTo(1);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
