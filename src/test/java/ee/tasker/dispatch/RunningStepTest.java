package ee.tasker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.tracing.TraceSpan;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunningStepTest {
  private static final int ROUNDS = 3_000;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final ExecutorService handlers = Executors.newSingleThreadExecutor();

  @AfterEach
  void stop() throws InterruptedException {
    handlers.shutdownNow();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void step_is_started_or_released_and_never_both() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      RunningStep step = new RunningStep(ClaimedSteps.any());
      assertThat(winners(() -> step.start(TraceSpan.NONE), step::release)).isEqualTo(1);
    }
  }

  @Test
  void step_is_finished_or_interrupted_and_never_both() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      RunningStep step = new RunningStep(ClaimedSteps.any());
      startedByAnotherThread(step);
      assertThat(winners(step::finish, () -> interrupt(step))).isEqualTo(1);
    }
  }

  @Test
  void handler_that_returns_from_an_interrupted_step_is_already_known_as_overrun()
      throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      RunningStep step = new RunningStep(ClaimedSteps.any());
      startedByAnotherThread(step);
      AtomicBoolean known = new AtomicBoolean();
      AtomicBoolean unknown = new AtomicBoolean();
      winners(() -> step.interrupt(() -> known.set(true)), () -> {
        unknown.set(!step.finish() && !known.get());
        return true;
      });
      assertThat(unknown).isFalse();
    }
  }

  @Test
  void step_is_interrupted_once() throws Exception {
    RunningStep step = new RunningStep(ClaimedSteps.any());
    startedByAnotherThread(step);

    assertThat(winners(() -> interrupt(step), () -> interrupt(step))).isEqualTo(1);
    assertThat(step.isOver()).isTrue();
  }

  @Test
  void giving_up_interrupts_the_handlers_thread() {
    RunningStep step = new RunningStep(ClaimedSteps.any());
    step.start(TraceSpan.NONE);

    assertThat(interrupt(step)).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void giving_up_too_late_interrupts_no_thread() {
    RunningStep step = new RunningStep(ClaimedSteps.any());
    step.start(TraceSpan.NONE);
    assertThat(step.finish()).isTrue();

    assertThat(interrupt(step)).isFalse();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void step_that_was_not_started_cannot_be_interrupted_or_finished() {
    RunningStep step = new RunningStep(ClaimedSteps.any());

    assertThat(interrupt(step)).isFalse();
    assertThat(step.release()).isTrue();
    assertThat(step.start(TraceSpan.NONE)).isFalse();
    assertThat(step.finish()).isFalse();
  }

  private void startedByAnotherThread(RunningStep step) throws Exception {
    handlers.submit(() -> Thread.interrupted() | step.start(TraceSpan.NONE)).get(10,
        TimeUnit.SECONDS);
  }

  private long winners(Callable<Boolean> one, Callable<Boolean> other) throws Exception {
    AtomicInteger ready = new AtomicInteger();
    long winners = 0;
    for (Future<Boolean> each : List.of(threads.submit(together(ready, one)),
        threads.submit(together(ready, other)))) {
      winners += each.get(10, TimeUnit.SECONDS) ? 1 : 0;
    }
    return winners;
  }

  /**
   * Spins until the other is there: threads that are woken from a barrier come one after the other.
   * Yields, because where the other waits for this one's processor it would spin for its whole time
   * slice.
   */
  private static Callable<Boolean> together(AtomicInteger ready, Callable<Boolean> action) {
    return () -> {
      ready.incrementAndGet();
      while (ready.get() < 2) {
        Thread.yield();
      }
      return action.call();
    };
  }

  private static boolean interrupt(RunningStep step) {
    return step.interrupt(() -> {});
  }
}
