package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class CallCostTest {

  @Test
  void a_line_is_found_again() {
    CallCost cost = CallCost.fit(List.of(new CallCost.Point(1, 550), new CallCost.Point(16, 1_300),
        new CallCost.Point(256, 13_300)));

    assertThat(cost.fixed()).isCloseTo(500, within(1e-6));
    assertThat(cost.each()).isCloseTo(50, within(1e-6));
    assertThat(cost.of(100)).isCloseTo(5_500, within(1e-6));
    assertThat(cost.error(new CallCost.Point(100, 5_000))).isCloseTo(0.1, within(1e-9));
  }

  @Test
  void a_small_call_counts_as_much_as_a_large_one() {
    // A tenth too much at both ends pulls the line by a tenth and not to the large one alone.
    CallCost cost = CallCost.fit(List.of(new CallCost.Point(1, 605), new CallCost.Point(16, 1_300),
        new CallCost.Point(256, 14_630)));

    assertThat(cost.error(new CallCost.Point(1, 605))).isCloseTo(0, within(0.1));
    assertThat(cost.error(new CallCost.Point(256, 14_630))).isCloseTo(0, within(0.1));
  }

  @Test
  void no_part_is_negative_and_one_size_makes_no_line() {
    assertThat(CallCost.fit(List.of(new CallCost.Point(1, 1), new CallCost.Point(10, 20))))
        .satisfies(cost -> {
          assertThat(cost.fixed()).isZero();
          assertThat(cost.each()).isBetween(1.0, 2.0);
        });
    assertThat(CallCost.fit(List.of(new CallCost.Point(1, 20), new CallCost.Point(10, 10))).each())
        .isZero();
    assertThatThrownBy(
        () -> CallCost.fit(List.of(new CallCost.Point(4, 20), new CallCost.Point(4, 10))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
