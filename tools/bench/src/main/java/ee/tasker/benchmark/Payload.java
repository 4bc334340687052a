package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Random;

/**
 * Contexts and results of growing size on a real server: four sequential steps, each returning the
 * task's context as its
 * result.
 */
final class Payload implements Phase {
  private static final int BATCH_BYTES = 2 << 20;

  @Override
  public String name() {
    return "payload";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Growth growth = new Growth("payload", "bytes of the context and of each result");
    Report.Table table = bench.report().table(
        "Payload (linear, four results as large as the context; steps per second)", "bytes",
        "tasks",
        "MB of documents per second", "all rounds");
    for (int bytes : bench.options().payloads()) {
      int tasks = Math.max(16, Math.min(bench.options().tasks().get(0),
          bench.options().payloadMebibytes() * (1 << 20) / bytes));
      int batch = Math.max(1, Math.min(100, BATCH_BYTES / bytes));
      String request = Load.request("echo_4", "{\"document\":\"" + text(bytes) + "\"}");
      bench.untilComplete("payload, warm-up", Math.max(16, tasks / 4),
          () -> bench.load().batchesOf(request, Math.max(16, tasks / 4), batch,
              bench.options().batchConnections()));
      double[] rounds = new double[bench.options().rounds()];
      Cost cost = bench.measureQuickly("payload of " + bytes + " bytes: " + tasks + " tasks",
          () -> {
            for (int round = 0; round < rounds.length; round++) {
              rounds[round] = 4 * tasks / bench.untilComplete("payload", tasks,
                  () -> bench.load().batchesOf(request, tasks, batch,
                      bench.options().batchConnections()));
            }
          });
      double median = Samples.of(rounds).median();
      // One context and four results for four steps.
      table.row(bytes, tasks, median / 4 * 5 * bytes / 1e6, Report.formatAll(rounds));
      growth.add(bytes, median, cost.databaseMicrosPerStep(), cost.recordBytesPerStep());
    }
    bench.report().grow(growth);
  }

  /** Text that does not compress to nothing. */
  private static String text(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return Base64.getEncoder().withoutPadding().encodeToString(bytes).substring(0, length);
  }
}
