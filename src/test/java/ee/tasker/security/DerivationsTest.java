package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DerivationsTest {
  private static final int MOST_WAITING = 3;

  private final Derivations derivations = new Derivations(1, MOST_WAITING, Duration.ofSeconds(40));
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  @AfterEach
  void stop() {
    open.countDown();
    callers.shutdownNow();
  }

  private boolean derive() {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    try {
      return open.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      return false;
    } finally {
      underWay.decrementAndGet();
    }
  }

  @Test
  void a_refusal_that_an_application_server_wraps_is_one() {
    assertThat(
        Derivations.isBusy(new IllegalStateException(new RuntimeException(new Derivations.Busy()))))
        .isTrue();
    assertThat(Derivations.isBusy(new IllegalStateException(new RuntimeException()))).isFalse();
  }

  @Test
  void a_caller_that_finds_the_queue_full_is_refused_at_once_and_the_waiting_ones_are_served()
      throws Exception {
    List<CompletableFuture<Boolean>> calls = new ArrayList<>();
    calls.add(CompletableFuture.supplyAsync(() -> derivations.run(this::derive), callers));
    TaskerClient.until("one is under way", Duration.ofSeconds(30), () -> underWay.get() == 1);
    for (int i = 0; i < MOST_WAITING; i++) {
      int waiting = i + 1;
      calls.add(CompletableFuture.supplyAsync(() -> derivations.run(this::derive), callers));
      TaskerClient.until(waiting + " wait", Duration.ofSeconds(30),
          () -> derivations.waiting() == waiting);
    }

    long start = System.nanoTime();
    assertThatThrownBy(() -> derivations.run(() -> true)).isInstanceOf(Derivations.Busy.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));

    open.countDown();
    for (CompletableFuture<Boolean> call : calls) {
      assertThat(call.get(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(most).as("at a time").hasValue(1);
    assertThat(derivations.run(() -> true)).isTrue();
  }

  @Test
  void a_caller_that_waited_for_too_long_is_refused() throws Exception {
    Derivations impatient = new Derivations(1, MOST_WAITING, Duration.ofMillis(20));
    CompletableFuture<Boolean> first = CompletableFuture
        .supplyAsync(() -> impatient.run(this::derive), callers);
    TaskerClient.until("one is under way", Duration.ofSeconds(30), () -> underWay.get() == 1);

    assertThatThrownBy(() -> impatient.run(() -> true)).isInstanceOf(Derivations.Busy.class);
    open.countDown();
    assertThat(first.get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void derivation_that_fails_leaves_room_for_the_next() {
    assertThatThrownBy(() -> derivations.run(() -> {
      throw new IllegalStateException("of a test");
    })).hasMessage("of a test");

    assertThat(derivations.run(() -> true)).isTrue();
  }
}
