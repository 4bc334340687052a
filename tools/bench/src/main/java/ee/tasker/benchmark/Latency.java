package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;

/** Tasks one at a time on a warm server, and linear ones at fixed rates. */
final class Latency implements Phase {
  private static final List<String> TEMPLATES = List.of("linear_4", "diamond", "complex_dag",
      "tree");

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Report.Table table = bench.report().table("Latency, one at a time (ms; median of rounds)",
        "template", "POST to answer P50", "P95", "P99", "created to completed P50", "P95", "P99",
        "P50 of each round");
    for (String template : TEMPLATES) {
      bench.load().oneAtATime(template, options.latencyTasks());
    }
    for (String template : TEMPLATES) {
      Samples[] answers = new Samples[options.rounds()];
      Samples[] database = new Samples[options.rounds()];
      Cost cost = bench.measure("one at a time: " + template, () -> {
        for (int round = 0; round < answers.length; round++) {
          OffsetDateTime begin = bench.database().now();
          answers[round] = bench.load().oneAtATime(template, options.latencyTasks());
          database[round] = bench.database().latencies(begin);
          bench.expectComplete(template, options.latencyTasks(), begin);
        }
      });
      double[] rounds = Arrays.stream(answers).mapToDouble(Samples::p50).toArray();
      double p50 = Samples.of(rounds).median();
      table.row(template, p50, median(answers, 0.95), median(answers, 0.99), median(database, 0.50),
          median(database, 0.95), median(database, 0.99), Report.formatAll(rounds));
      if (template.equals("linear_4")) {
        bench.report().figure("linear4_p50_ms", rounds);
        bench.report().figure("linear4_p99_ms", median(answers, 0.99));
        bench.report().figure("linear4_database_p50_ms", median(database, 0.50));
        bench.report().figure("commits_per_step_alone", cost.writeCommitsPerStep());
      }
    }
  }

  private static double median(Samples[] rounds, double share) {
    return Samples.of(Arrays.stream(rounds).mapToDouble(round -> round.percentile(share)).toArray())
        .median();
  }
}
