package ee.tasker.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageTest {
  private static final long BEGIN = Long.MAX_VALUE - 5;
  private final Outage outage = new Outage();

  private static long seconds(long seconds) {
    return BEGIN + Duration.ofSeconds(seconds).toNanos();
  }

  @Test
  void first_failure_is_logged_and_then_one_in_thirty_seconds_with_the_number_so_far() {
    assertThat(outage.failed(seconds(0))).isEqualTo(1);
    assertThat(outage.failed(seconds(1))).isZero();
    assertThat(outage.failed(seconds(29))).isZero();
    assertThat(outage.failed(seconds(30))).isEqualTo(4);
    assertThat(outage.failed(seconds(59))).isZero();
    assertThat(outage.failed(seconds(61))).isEqualTo(6);
  }

  @Test
  void end_is_logged_once_and_the_next_outage_begins_anew() {
    outage.failed(seconds(0));
    outage.failed(seconds(1));

    assertThat(outage.end(seconds(12))).isEqualTo(new Outage.Over(Duration.ofSeconds(12), 2));
    assertThat(outage.end(seconds(13))).isNull();
    assertThat(outage.failed(seconds(14))).isEqualTo(1);
  }
}
