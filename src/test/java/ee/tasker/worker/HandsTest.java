package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.LiveSettings;
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

class HandsTest {

  @Property
  void hands_are_neither_invented_nor_lost(@ForAll @IntRange(min = 0, max = 20) int capacity, @ForAll @Size(max = 50) List<@IntRange(min = -5, max = 25) Integer> moves) {
    Hands hands = withFree(capacity);
    int held = 0;
    for (int move : moves) {
      if (move >= 0) {
        int got = hands.reserve(move);
        assertThat(got).isBetween(0, move);
        // As many as asked for, or all there were.
        assertThat(got).isEqualTo(Math.min(move, capacity - held));
        held += got;
      } else {
        int back = Math.min(-move, held);
        hands.release(back);
        held -= back;
      }
      assertThat(hands.freeCount()).isEqualTo(capacity - held).isNotNegative();
    }
  }

  @Test
  void hands_that_a_lower_capacity_has_left_too_many_are_paid_back_as_they_end() {
    Hands hands = withFree(5);
    hands.reserve(5);
    hands.takeAgain(3);

    assertThat(hands.freeCount()).isZero();
    assertThat(hands.reserve(1)).as("none is free, and two are too many").isZero();
    assertThat(hands.keep(2)).as("two have ended, both were too many").isZero();
    assertThat(hands.keep(2)).as("two more, one was too many").isEqualTo(1);
    assertThat(hands.keep(2)).as("none is too many any more").isEqualTo(2);
  }

  @Test
  void hand_of_a_thread_that_goes_on_after_its_step_is_free_when_it_returns_and_not_before() throws InterruptedException {
    Hands hands = withFree(2);
    hands.reserve(2);
    hands.lose();
    assertThat(hands.capacityLeft()).isEqualTo(1);
    assertThat(hands.keep(1)).as("the step has ended, its thread has not").isZero();
    assertThat(hands.keep(1)).as("the other's has").isEqualTo(1);
    hands.release(1);
    assertThat(hands.reserve(2)).as("there is a thread for one").isEqualTo(1);
    hands.release(1);
    hands.drain();
    assertThat(hands.awaitIdle(Duration.ZERO)).as("a handler that does not return keeps no server from stopping").isTrue();
    hands.stopDraining();

    hands.regain();
    assertThat(hands.reserve(3)).isEqualTo(2);
    assertThat(hands.capacityLeft()).isEqualTo(2);
  }

  @Test
  void thread_that_returns_while_a_queue_may_have_steps_is_told_of() {
    Hands hands = withFree(1);
    AtomicInteger told = new AtomicInteger();
    hands.onWantedHands(told::incrementAndGet);
    hands.lose();

    hands.regain();

    assertThat(told).hasValue(1);
  }

  @Test
  void paused_worker_takes_nothing_on_until_it_is_resumed() {
    Hands hands = withFree(3);
    hands.pause(true);

    assertThat(hands.reserve(1)).isZero();
    hands.pause(false);
    assertThat(hands.reserve(1)).isEqualTo(1);
  }

  @Test
  void reserving_nothing_or_less_gives_nothing() {
    Hands hands = withFree(3);

    assertThat(hands.reserve(0)).isZero();
    assertThat(hands.reserve(-1)).isZero();
    hands.release(0);
    hands.release(-5);
    assertThat(hands.freeCount()).isEqualTo(3);
  }

  @Test
  void threads_that_race_for_hands_never_hold_more_than_there_are() throws InterruptedException {
    Hands hands = withFree(5);
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
          int got = hands.reserve(1 + ThreadLocalRandom.current().nextInt(5));
          most.accumulateAndGet(held.addAndGet(got), Math::max);
          held.addAndGet(-got);
          hands.release(got);
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
    assertThat(hands.freeCount()).isEqualTo(5);
  }

  @Test
  void draining_server_gives_no_hand_away() {
    Hands hands = withFree(3);
    hands.drain();

    assertThat(hands.reserve(1)).isZero();
    assertThat(hands.isDraining()).isTrue();
  }

  @Test
  void hint_is_taken_once() {
    Hands hands = withFree(1);
    while (hands.takeHint()) {
      // the first look at the queues is free
    }
    hands.hint();
    hands.hint();

    assertThat(hands.hasHint()).isTrue();
    assertThat(hands.takeHint()).isTrue();
    assertThat(hands.takeHint()).isFalse();
  }

  @Test
  void idle_is_waited_for_and_not_for_ever() throws InterruptedException {
    Hands hands = withFree(3);
    RunningStep step = new RunningStep(Assignments.any());
    hands.reserve(1);
    hands.busyWith(step);
    hands.drain();
    assertThat(hands.awaitIdle(Duration.ofMillis(20))).isFalse();

    Thread worker = new Thread(() -> {
      hands.done(step.assignment().key());
      hands.release(1);
    });
    worker.start();
    assertThat(hands.awaitIdle(Duration.ofSeconds(30))).isTrue();
    worker.join();
    assertThat(hands.busyCount()).isZero();
  }

  @Test
  void server_is_not_idle_while_a_call_is_under_way_that_may_still_bring_steps() throws InterruptedException {
    Hands hands = withFree(3);
    hands.reserve(2);
    hands.drain();
    assertThat(hands.awaitIdle(Duration.ofMillis(20))).isFalse();

    // The answer brings one step, and that ends.
    hands.release(1);
    assertThat(hands.awaitIdle(Duration.ofMillis(20))).isFalse();
    Thread call = new Thread(() -> hands.release(1));
    call.start();
    assertThat(hands.awaitIdle(Duration.ofSeconds(30))).isTrue();
    call.join();
  }

  @Test
  void hands_that_were_lent_make_no_server_look_idle() throws InterruptedException {
    Hands hands = withFree(1);
    hands.lend(2);
    hands.reserve(1);
    hands.drain();
    assertThat(hands.awaitIdle(Duration.ofMillis(20))).as("a call is under way").isFalse();

    hands.lend(-2);
    assertThat(hands.awaitIdle(Duration.ofMillis(20))).as("it still is").isFalse();
    hands.release(1);
    assertThat(hands.awaitIdle(Duration.ZERO)).isTrue();
  }

  @Test
  void hands_that_come_back_while_a_queue_may_have_steps_are_told_of() {
    Hands hands = withFree(0);
    AtomicInteger told = new AtomicInteger();
    hands.onWantedHands(told::incrementAndGet);
    hands.release(0);
    assertThat(told).hasValue(0);

    hands.release(2);
    assertThat(told).hasValue(1);
    hands.takeHint();
    hands.release(1);
    assertThat(told).hasValue(1);
  }

  private static Hands withFree(int capacity) {
    LiveSettings live = new LiveSettings();
    live.changeCapacity(capacity);
    return Hands.of(live);
  }
}
