package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EarliestTimerTest {
  private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
  private final CountDownLatch calls = new CountDownLatch(1);
  private final EarliestTimer alarm = new EarliestTimer(timers, calls::countDown);

  EarliestTimerTest() {
    timers.setRemoveOnCancelPolicy(true);
  }

  @AfterEach
  void end() {
    timers.shutdownNow();
  }

  @Test
  void earlier_time_is_planned_too_and_a_later_one_is_not() {
    alarm.in(Duration.ofMinutes(10));
    alarm.in(Duration.ofMinutes(20));
    assertThat(timers.getQueue()).hasSize(1);

    alarm.in(Duration.ofMinutes(5));
    alarm.in(Duration.ofMinutes(7));
    assertThat(timers.getQueue()).hasSize(2);
  }

  @Test
  void it_calls_when_the_time_has_come() throws InterruptedException {
    alarm.in(Duration.ofMinutes(10));
    alarm.in(Duration.ZERO);

    assertThat(calls.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void nothing_is_left_with_the_timers_of_the_server_when_the_application_is_undeployed() {
    alarm.in(Duration.ofMinutes(10));
    alarm.in(Duration.ofMinutes(5));

    alarm.stop();
    alarm.in(Duration.ofMinutes(1));

    assertThat(timers.getQueue()).isEmpty();
  }
}
