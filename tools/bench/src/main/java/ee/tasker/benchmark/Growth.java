package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How the cost of a step changes as one thing grows. The exponent is the slope of a straight line
 * through the logarithms: 0
 * when the cost of a step is constant, 1 when it doubles with the size.
 *
 * @param over what grows
 * @param unit what it is counted in
 */
record Growth(String over, String unit, List<Point> points) {
  /** An exponent up to this is noise: doubling changes a step by less than 11 %. */
  static final double FLAT = 0.15;
  /** Up to here the cost grows slightly: ten times the size, at most 2.2 times the cost. */
  static final double SLOW = 0.35;

  /** @param size of what grows; costs that could not be measured are NaN */
  record Point(double size, double stepsPerSecond, double cpuMicros, double walBytes) {}

  Growth(String over, String unit) {
    this(over, unit, new ArrayList<>());
  }

  Growth add(double size, double stepsPerSecond, double cpuMicros, double walBytes) {
    points.add(new Point(size, stepsPerSecond, cpuMicros, walBytes));
    return this;
  }

  /**
   * The slope of the least squares line through (log x, log y); NaN for fewer than two usable
   * points.
   */
  static double exponent(double[] x, double[] y) {
    double n = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    for (int i = 0; i < x.length; i++) {
      if (x[i] > 0 && y[i] > 0) {
        double logX = Math.log(x[i]);
        double logY = Math.log(y[i]);
        n++;
        sumX += logX;
        sumY += logY;
        sumXx += logX * logX;
        sumXy += logX * logY;
      }
    }
    double spread = n * sumXx - sumX * sumX;
    return n < 2 || spread < 1e-12 ? Double.NaN : (n * sumXy - sumX * sumY) / spread;
  }

  private double[] sizes() {
    return points.stream().mapToDouble(Point::size).toArray();
  }

  double speedExponent() {
    return exponent(sizes(), points.stream().mapToDouble(Point::stepsPerSecond).toArray());
  }

  double cpuExponent() {
    return exponent(sizes(), points.stream().mapToDouble(Point::cpuMicros).toArray());
  }

  double walExponent() {
    return exponent(sizes(), points.stream().mapToDouble(Point::walBytes).toArray());
  }

  /**
   * In words, by the cost of a step in processor time where that is known and by steps per second
   * otherwise.
   */
  String verdict() {
    double exponent = Double.isNaN(cpuExponent()) ? -speedExponent() : cpuExponent();
    if (Double.isNaN(exponent)) {
      return "cannot be told";
    }
    if (exponent < -FLAT) {
      return "a step gets cheaper";
    }
    return exponent <= FLAT ? "a step costs the same"
        : exponent <= SLOW ? "a step gets slowly dearer"
            : exponent <= 1.1 ? "a step gets dearer" : "a step gets dearer faster than it grows";
  }

  void addTo(Report report, Report.Table verdicts) {
    Report.Table table = report.table("Growth over " + over, unit, "steps/s",
        "CPU µs of the database per step",
        "WAL bytes per step, page images left out");
    points.forEach(
        point -> table.row(String.format(Locale.ROOT, "%,.0f", point.size), point.stepsPerSecond,
            point.cpuMicros, point.walBytes));
    verdicts.row(over, format(speedExponent()), format(cpuExponent()), format(walExponent()),
        verdict());
    report.growth(this);
  }

  private static String format(double exponent) {
    return Double.isNaN(exponent) ? "-" : String.format(Locale.ROOT, "%.2f", exponent);
  }

  JsonObjectBuilder json() {
    return Json.createObjectBuilder().add("unit", unit)
        .add("size", Report.array(sizes()))
        .add("steps_per_s",
            Report.array(points.stream().mapToDouble(Point::stepsPerSecond).toArray()))
        .add("database_cpu_us_per_step",
            Report.array(points.stream().mapToDouble(Point::cpuMicros).toArray()))
        .add("wal_bytes_per_step",
            Report.array(points.stream().mapToDouble(Point::walBytes).toArray()))
        .add("exponents", Report.array(speedExponent(), cpuExponent(), walExponent()))
        .add("verdict", verdict());
  }
}
