package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowNamespacesTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final SlowNamespaces slow = new SlowNamespaces(nanos::get,
      Duration.ofMillis(100), false);

  private void called(long millis, int items, String... namespaces) {
    slow.called(Set.of(namespaces), items, Duration.ofMillis(millis).toNanos());
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void a_slow_call_makes_its_namespaces_suspects_and_a_quick_one_of_its_own_clears_a_namespace() {
    called(400, 3, "noisy", "quiet");
    assertThat(slow.isApart("noisy")).isTrue();
    assertThat(slow.isApart("quiet")).isTrue();
    assertThat(slow.isApart("another")).isFalse();

    called(5, 1, "quiet");
    called(400, 1, "noisy");
    called(5, 1, "noisy");

    assertThat(slow.isApart("quiet")).isFalse();
    assertThat(slow.isApart("noisy")).as("its other calls are quick").isTrue();
  }

  @Test
  void a_namespace_is_slow_after_two_slow_calls_of_its_own_and_not_after_a_pause_of_the_machine() {
    called(400, 3, "noisy", "quiet");
    called(400, 1, "noisy");
    called(400, 1, "quiet");
    assertThat(slow.isSlow("noisy") || slow.isSlow("quiet")).as("it may have been a pause")
        .isFalse();

    called(5, 1, "quiet");
    called(5, 1, "noisy");
    called(400, 1, "noisy");
    called(5, 1, "quiet");
    called(400, 1, "noisy");
    called(5, 1, "noisy");

    assertThat(slow.isSlow("noisy")).as("every second of its calls is slow").isTrue();
    assertThat(slow.isApart("quiet")).isFalse();
    for (int i = 0; i < 8; i++) {
      called(5, 1, "noisy");
    }
    assertThat(slow.isApart("noisy")).isFalse();
  }

  @Test
  void one_slow_call_is_enough_where_its_time_is_counted_and_quick_ones_change_nothing() {
    SlowNamespaces counted = new SlowNamespaces(nanos::get, Duration.ofMillis(5), true);
    counted.called(Set.of("quiet"), 1, Duration.ofMillis(1).toNanos());
    counted.called(Set.of("noisy"), 1, Duration.ofMillis(400).toNanos());
    for (int i = 0; i < 8; i++) {
      counted.called(Set.of("noisy"), 1, Duration.ofMillis(1).toNanos());
    }
    assertThat(counted.isApart("noisy") && counted.isSlow("noisy")).isTrue();
    pass(Duration.ofSeconds(11));
    assertThat(counted.isApart("noisy") || counted.isSlow("noisy")).isFalse();
  }

  @Test
  void a_namespace_is_kept_apart_for_ten_seconds_after_its_last_slow_call() {
    called(400, 1, "noisy", "quiet");
    called(400, 1, "noisy");
    pass(Duration.ofSeconds(8));
    called(400, 1, "noisy");
    pass(Duration.ofSeconds(8));
    assertThat(slow.isApart("noisy")).isTrue();

    pass(Duration.ofSeconds(3));

    assertThat(slow.isApart("noisy")).isFalse();
  }

  @Test
  void a_namespace_that_has_the_server_for_itself_is_never_kept_apart() {
    called(4_000, 1, "alone");
    assertThat(slow.isApart("alone")).isFalse();

    called(5, 1, "another");
    called(4_000, 1, "alone");
    assertThat(slow.isApart("alone")).isTrue();
  }

  @Test
  void where_the_whole_machine_gets_slow_no_namespace_is() {
    for (int i = 0; i < 300; i++) {
      called(5 + 2 * i, 1, i % 2 == 0 ? "orders" : "reports");
      assertThat(slow.isApart("orders") || slow.isApart("reports")).as("call " + i).isFalse();
    }

    called(30_000, 1, "noisy");

    assertThat(slow.isApart("noisy")).isTrue();
  }

  @Test
  void many_items_may_take_longer() {
    called(1, 1, "another");
    called(590, 100, "busy");
    assertThat(slow.isApart("busy")).isFalse();

    called(610, 100, "busy");
    assertThat(slow.isApart("busy")).isTrue();
  }
}
