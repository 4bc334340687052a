package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The batched throughput again with more servers, between which the requests alternate. All of them
 * run and are warm from the beginning; those that a round
 * does without are paused. The numbers take turns, up and down, because what autovacuum does about
 * the tasks of one falls into the round of the next.
 */
final class MoreServers implements Phase {

  @Override
  public String name() {
    return "servers";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int tasks = options.tasks().get(options.tasks().size() - 1);
    int most = Collections.max(options.servers());
    bench.servers().have(most);
    warmUp(bench, most);
    Map<Integer, List<Round>> measured = new TreeMap<>();
    options.servers().forEach(count -> measured.put(count, new ArrayList<>()));
    List<Integer> order = new ArrayList<>(measured.keySet());
    for (int turn = 1; turn <= 2 * options.rounds(); turn++) {
      for (int count : order) {
        measured.get(count).add(measure(bench, count, turn, tasks));
      }
      Collections.reverse(order);
    }
    Report.Table table = bench.report().table(
        "Throughput of linear_4 by number of servers, of " + most + " that run", "servers", "tasks",
        "steps/s",
        "all rounds");
    Growth growth = new Growth("servers", "servers on the same machine");
    measured.forEach((count, rounds) -> {
      double[] speeds = rounds.stream().mapToDouble(Round::stepsPerSecond).toArray();
      double speed = Samples.of(speeds).median();
      table.row(count, tasks, speed, Report.formatAll(speeds));
      bench.report().figure("linear4_steps_per_s_" + count + "_servers", speeds);
      growth.add(count, speed, median(rounds, Cost::databaseMicrosPerStep),
          median(rounds, Cost::recordBytesPerStep));
    });
    bench.report().grow(growth);
    bench.servers().have(1);
  }

  private record Round(double stepsPerSecond, Cost cost) {
  }

  private static double median(List<Round> rounds, ToDoubleFunction<Cost> figure) {
    return Samples.of(rounds.stream().map(Round::cost).mapToDouble(figure).toArray()).median();
  }

  /** As many tasks for each as the first one had when it was started. */
  private static void warmUp(Bench bench, int most)
      throws IOException, SQLException, InterruptedException {
    int tasks = most * bench.options().warmup();
    bench.untilComplete("warm-up", tasks, () -> bench.load().batches("linear_4", tasks,
        bench.options().batch(), connections(bench, most)));
  }

  private static Round measure(Bench bench, int count, int turn, int tasks)
      throws IOException, SQLException, InterruptedException {
    bench.servers().letWork(count);
    double[] seconds = new double[1];
    Cost cost = bench.measureQuickly(count + " servers, turn " + turn + ": " + tasks + " tasks",
        () -> seconds[0] = bench.untilComplete(count + " servers", tasks,
            () -> bench.load().batches("linear_4", tasks, bench.options().batch(),
                connections(bench, count))));
    return new Round(4 * tasks / seconds[0], cost);
  }

  private static int connections(Bench bench, int servers) {
    return Math.max(bench.options().batchConnections(), servers);
  }
}
