package ee.tasker.benchmark;

import java.util.List;

/**
 * What a call costs by its size: a part for the call and a part for each of its items, {@code fixed
 * + each × size}.
 *
 * @param fixed of a call, whatever its size
 * @param each  of an item
 */
record CallCost(double fixed, double each) {

  /** @param size items in a call  @param cost of such a call, in any unit */
  record Point(double size, double cost) {
  }

  /**
   * The line with the least sum of squared relative errors, so that a call of one item counts as
   * much as one of hundreds. Neither part is negative.
   *
   * @throws IllegalArgumentException for fewer than two sizes
   */
  static CallCost fit(List<Point> points) {
    if (points.stream().mapToDouble(Point::size).distinct().count() < 2) {
      throw new IllegalArgumentException("one size makes no line");
    }
    double ones = 0;
    double sizes = 0;
    double squares = 0;
    double costs = 0;
    double products = 0;
    for (Point point : points) {
      double weight = 1 / (point.cost() * point.cost());
      ones += weight;
      sizes += weight * point.size();
      squares += weight * point.size() * point.size();
      costs += weight * point.cost();
      products += weight * point.size() * point.cost();
    }
    double spread = ones * squares - sizes * sizes;
    double each = (ones * products - sizes * costs) / spread;
    double fixed = (costs - each * sizes) / ones;
    if (fixed < 0) {
      return new CallCost(0, products / squares);
    }
    return each < 0 ? new CallCost(costs / ones, 0) : new CallCost(fixed, each);
  }

  double of(double size) {
    return fixed + each * size;
  }

  /** By how much the prediction misses what was measured, as a share of it. */
  double error(Point measured) {
    return of(measured.size()) / measured.cost() - 1;
  }
}
