package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/**
 * One task of one step, many parallel ones and one that joins them; a tenth of the width too, to
 * see how the cost grows.
 */
final class FanOut implements Phase {

  @Override
  public String name() {
    return "fanout";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Report.Table table = bench.report().table(
        "Fan-out and fan-in of one task (seconds from POST to complete; median of rounds)",
        "parallel steps", "seconds", "microseconds per step", "all rounds");
    for (int width : new int[]{bench.options().fanOut() / 10, bench.options().fanOut()}) {
      String name = "fan_out_" + width;
      Load.register(bench.servers(), template(name, width));
      bench.untilComplete("fan-out", 1, () -> bench.load().singles(name, 1, 1));
      double[] seconds = new double[bench.options().rounds()];
      bench.measure("fan-out of " + width, () -> {
        for (int round = 0; round < seconds.length; round++) {
          seconds[round] = bench.untilComplete("fan-out", 1,
              () -> bench.load().singles(name, 1, 1));
        }
      });
      double median = Samples.of(seconds).median();
      table.row(width, median, median * 1e6 / (width + 2), Report.formatAll(seconds));
      bench.report().figure("fan_out_" + width + "_s", seconds);
    }
  }

  private static String template(String name, int width) {
    StringBuilder yaml = new StringBuilder(
        "name: " + name
            + "\nnamespace_name: benchmark\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n");
    yaml.append("- {name: first, handler: {callable: benchmark.NoOp}}\n");
    StringBuilder parents = new StringBuilder();
    for (int i = 1; i <= width; i++) {
      yaml.append("- {name: p").append(i)
          .append(", dependencies: [first], handler: {callable: benchmark.NoOp}}\n");
      parents.append(i == 1 ? "" : ",").append('p').append(i);
    }
    return yaml.append("- {name: last, dependencies: [").append(parents)
        .append("], handler: {callable: benchmark.NoOp}}\n").toString();
  }
}
