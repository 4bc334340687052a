package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class GrowthTest {

  @Test
  void the_exponent_is_the_power_with_which_one_grows_with_the_other() {
    double[] sizes = {1, 10, 100, 1000};
    assertThat(Growth.exponent(sizes, new double[]{7, 7, 7, 7})).isCloseTo(0, within(1e-9));
    assertThat(Growth.exponent(sizes, new double[]{2, 20, 200, 2000})).isCloseTo(1, within(1e-9));
    assertThat(Growth.exponent(sizes, new double[]{3, 300, 30_000, 3_000_000})).isCloseTo(2,
        within(1e-9));
    assertThat(Growth.exponent(new double[]{4, 16}, new double[]{8, 4})).isCloseTo(-0.5,
        within(1e-9));
  }

  @Test
  void what_was_not_measured_is_left_out_and_one_point_makes_no_line() {
    assertThat(Growth.exponent(new double[]{1, 10, 100}, new double[]{5, Double.NaN, 500}))
        .isCloseTo(1, within(1e-9));
    assertThat(Growth.exponent(new double[]{10}, new double[]{5})).isNaN();
    assertThat(Growth.exponent(new double[]{10, 10}, new double[]{5, 6})).isNaN();
  }

  @Test
  void the_verdict_goes_by_processor_time_and_by_speed_where_that_is_unknown() {
    assertThat(new Growth("history", "tasks").add(10, 100, 80, 1).add(1000, 10, 82, 1).verdict())
        .isEqualTo("a step costs the same");
    assertThat(new Growth("history", "tasks").add(10, 100, 80, 1).add(1000, 10, 8000, 1).verdict())
        .isEqualTo("a step gets dearer");
    assertThat(new Growth("history", "tasks").add(10, 100, 80, 1).add(1000, 100, 320, 1).verdict())
        .isEqualTo("a step gets slowly dearer");
    assertThat(new Growth("servers", "servers").add(1, 100, Double.NaN, 1).add(2, 50, Double.NaN, 1)
        .verdict())
        .isEqualTo("a step gets dearer");
    assertThat(new Growth("servers", "servers").add(1, 100, Double.NaN, 1).verdict())
        .isEqualTo("cannot be told");
  }
}
