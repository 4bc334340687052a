package ee.tasker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.config.LiveSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PermitsTest {

  @Property
  void permits_are_neither_invented_nor_lost(@ForAll @IntRange(min = 0, max = 20) int capacity,
      @ForAll @Size(max = 50) List<@IntRange(min = -5, max = 25) Integer> moves) {
    Permits permits = withFree(capacity);
    int held = 0;
    for (int move : moves) {
      if (move >= 0) {
        int got = permits.take(move).limit();
        assertThat(got).isBetween(0, move);
        // As many as asked for, or all there were.
        assertThat(got).isEqualTo(Math.min(move, capacity - held));
        held += got;
      } else {
        int back = Math.min(-move, held);
        permits.release(back);
        held -= back;
      }
      assertThat(permits.freeCount()).isEqualTo(capacity - held).isNotNegative();
    }
  }

  @Test
  void permits_that_a_lower_capacity_has_left_too_many_are_paid_back_as_they_end() {
    Permits permits = withFree(5);
    permits.take(5);
    permits.changeCapacity(2);

    assertThat(permits.freeCount()).isZero();
    assertThat(permits.take(1).limit()).as("none is free, and two are too many").isZero();
    assertThat(permits.passOn(2, 0).limit()).as("two have ended, both were too many").isZero();
    assertThat(permits.passOn(2, 0).limit()).as("two more, one was too many").isEqualTo(1);
    assertThat(permits.passOn(2, 0).limit()).as("none is too many any more").isEqualTo(2);
  }

  @Test
  void hand_of_a_thread_that_goes_on_after_its_step_is_free_when_it_returns_and_not_before()
      throws InterruptedException {
    Permits permits = withFree(2);
    permits.take(2);
    permits.lose();
    assertThat(permits.capacityLeft()).isEqualTo(1);
    assertThat(permits.passOn(1, 0).limit()).as("the step has ended, its thread has not").isZero();
    assertThat(permits.passOn(1, 0).limit()).as("the other's has").isEqualTo(1);
    permits.release(1);
    assertThat(permits.take(2).limit()).as("there is a thread for one").isEqualTo(1);
    permits.release(1);
    permits.drain();
    assertThat(permits.awaitIdle(Duration.ZERO))
        .as("a handler that does not return keeps no server from stopping").isTrue();
    permits.stopDraining();

    permits.regain();
    assertThat(permits.take(3).limit()).isEqualTo(2);
    assertThat(permits.capacityLeft()).isEqualTo(2);
  }

  @Test
  void thread_that_returns_is_notified() {
    AtomicInteger told = new AtomicInteger();
    Permits permits = withFree(1, told::incrementAndGet);
    permits.lose();

    permits.regain();

    assertThat(told).hasValue(1);
  }

  @Test
  void paused_worker_takes_nothing_on_until_it_is_resumed() {
    Permits permits = withFree(3);
    permits.pause(true);

    assertThat(permits.take(1).limit()).isZero();
    permits.pause(false);
    assertThat(permits.take(1).limit()).isEqualTo(1);
  }

  @Test
  void a_share_leaves_permits_for_others_and_is_never_nothing() {
    Permits permits = withFree(5);

    assertThat(permits.passOn(0, 1).limit()).isEqualTo(1);
    assertThat(permits.passOn(0, 10).limit()).as("half of four").isEqualTo(2);
    assertThat(permits.passOn(0, 10).limit()).as("half of two").isEqualTo(1);
    assertThat(permits.passOn(0, 10).limit()).as("the last one").isEqualTo(1);
    assertThat(permits.passOn(0, 10).limit()).isZero();
  }

  @Test
  void reserving_nothing_or_less_gives_nothing() {
    Permits permits = withFree(3);

    assertThat(permits.take(0).limit()).isZero();
    assertThat(permits.passOn(0, 0).limit()).isZero();
    assertThat(permits.passOn(0, -1).limit()).isZero();
    assertThat(permits.take(-1).limit()).isZero();
    permits.release(0);
    permits.release(-5);
    assertThat(permits.freeCount()).isEqualTo(3);
  }

  @Test
  void threads_that_race_for_permits_never_hold_more_than_there_are() throws InterruptedException {
    Permits permits = withFree(5);
    AtomicInteger held = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    CountDownLatch begin = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> {
        try {
          begin.await();
        } catch (InterruptedException e) {
          return;
        }
        for (int round = 0; round < 20_000; round++) {
          int got = permits.take(1 + ThreadLocalRandom.current().nextInt(5)).limit();
          most.accumulateAndGet(held.addAndGet(got), Math::max);
          held.addAndGet(-got);
          permits.release(got);
        }
      });
      threads.add(thread);
      thread.start();
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(most.get()).isBetween(1, 5);
    assertThat(permits.freeCount()).isEqualTo(5);
  }

  @Test
  void draining_server_gives_no_hand_away() {
    Permits permits = withFree(3);
    permits.drain();

    assertThat(permits.take(1).limit()).isZero();
    assertThat(permits.isDraining()).isTrue();
  }

  @Test
  void waiting_for_idle_has_a_limit() throws InterruptedException {
    Permits permits = withFree(3);
    permits.take(1);
    permits.drain();
    assertThat(permits.awaitIdle(Duration.ofMillis(20))).isFalse();

    Thread worker = new Thread(() -> permits.release(1));
    worker.start();
    assertThat(permits.awaitIdle(Duration.ofSeconds(30))).isTrue();
    worker.join();
  }

  @Test
  void server_is_not_idle_while_a_call_is_under_way_that_may_still_bring_steps()
      throws InterruptedException {
    Permits permits = withFree(3);
    permits.take(2);
    permits.drain();
    assertThat(permits.awaitIdle(Duration.ofMillis(20))).isFalse();

    // The answer brings one step, and that ends.
    permits.release(1);
    assertThat(permits.awaitIdle(Duration.ofMillis(20))).isFalse();
    Thread call = new Thread(() -> permits.release(1));
    call.start();
    assertThat(permits.awaitIdle(Duration.ofSeconds(30))).isTrue();
    call.join();
  }

  @Test
  void expanded_permits_make_no_server_look_idle() throws InterruptedException {
    Permits permits = withFree(1);
    permits.expand(2);
    permits.take(1);
    permits.drain();
    assertThat(permits.awaitIdle(Duration.ofMillis(20))).as("a call is under way").isFalse();

    permits.expand(-2);
    assertThat(permits.awaitIdle(Duration.ofMillis(20))).as("it still is").isFalse();
    permits.release(1);
    assertThat(permits.awaitIdle(Duration.ZERO)).isTrue();
  }

  @Test
  void released_permits_and_a_higher_capacity_are_notified() {
    AtomicInteger told = new AtomicInteger();
    Permits permits = withFree(3, told::incrementAndGet);
    permits.release(0);
    assertThat(told).as("nothing came back").hasValue(0);

    permits.take(2);
    permits.release(2);
    assertThat(told).hasValue(1);
    permits.changeCapacity(5);
    assertThat(told).hasValue(2);
    permits.changeCapacity(4);
    assertThat(told).as("fewer permits are none that came back").hasValue(2);
    permits.expand(1);
    assertThat(told).hasValue(3);
  }

  private static Permits withFree(int capacity) {
    return withFree(capacity, () -> {});
  }

  private static Permits withFree(int capacity, PermitListener listener) {
    LiveSettings live = new LiveSettings();
    live.changeCapacity(capacity);
    return Permits.of(live, listener);
  }
}
