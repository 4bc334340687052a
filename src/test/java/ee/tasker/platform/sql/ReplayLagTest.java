package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplayLagTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ReplayLag lag = new ReplayLag(Duration.ofSeconds(10));

  @Test
  void standby_is_as_stale_as_the_latest_position_that_it_has_replayed() {
    lag.note(0, new WalPosition(1, 100));
    lag.note(2 * SECOND, new WalPosition(1, 200));
    lag.note(4 * SECOND, new WalPosition(1, 300));

    assertThat(lag.of(new WalPosition(1, 250), 5 * SECOND)).contains(Duration.ofSeconds(3));
    assertThat(lag.of(new WalPosition(1, 300), 5 * SECOND)).contains(Duration.ofSeconds(1));
    assertThat(lag.of(new WalPosition(1, 99), 5 * SECOND)).isEmpty();
  }

  @Test
  void primary_without_writes_does_not_make_its_standby_stale() {
    lag.note(0, new WalPosition(1, 100));
    lag.note(9 * SECOND, new WalPosition(1, 100));

    assertThat(lag.of(new WalPosition(1, 100), 9 * SECOND)).contains(Duration.ZERO);
  }

  @Test
  void standby_that_is_cut_off_becomes_staler_although_the_primary_is_not_asked() {
    lag.note(0, new WalPosition(1, 100));

    assertThat(lag.of(new WalPosition(1, 100), 7 * SECOND)).contains(Duration.ofSeconds(7));
  }

  @Test
  void position_of_another_timeline_says_nothing() {
    lag.note(0, new WalPosition(1, 100));
    // An asynchronous standby was promoted that had less than this one, which cannot follow it.
    lag.note(SECOND, new WalPosition(2, 90));

    assertThat(lag.of(new WalPosition(1, 100), 2 * SECOND)).isEmpty();
    assertThat(lag.of(new WalPosition(2, 90), 2 * SECOND)).contains(Duration.ofSeconds(1));
  }

  @Test
  void primary_is_asked_once_in_half_a_second() {
    assertThat(lag.isDue(0)).isTrue();
    assertThat(lag.isDue(SECOND / 4)).isFalse();
    assertThat(lag.isDue(SECOND / 2)).isTrue();
  }

  @Test
  void old_positions_are_forgotten() {
    lag.note(0, new WalPosition(1, 100));
    lag.note(11 * SECOND, new WalPosition(1, 200));

    assertThat(lag.of(new WalPosition(1, 150), 11 * SECOND)).isEmpty();
  }
}
