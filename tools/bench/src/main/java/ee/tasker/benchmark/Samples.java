package ee.tasker.benchmark;

import java.util.Arrays;
import java.util.Collection;

/** Measured values and their statistics. */
record Samples(double[] sorted) {

  static Samples of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Samples(sorted);
  }

  static Samples of(Collection<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  int count() {
    return sorted.length;
  }

  double median() {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The smallest value that at least this share of all does not exceed. */
  double percentile(double share) {
    return sorted.length == 0 ? Double.NaN
        : sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
  }

  double p50() {
    return percentile(0.50);
  }

  double p95() {
    return percentile(0.95);
  }

  double p99() {
    return percentile(0.99);
  }
}
