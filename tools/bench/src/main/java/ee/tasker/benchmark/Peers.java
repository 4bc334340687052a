package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Other engines on the same PostgreSQL in the same run. Their project is beside this one and
 * optional.
 */
final class Peers implements Phase {
  /**
   * Workflows one at a time at the end of each round, which are not in the number that a peer
   * reports.
   */
  private static final Map<String, Integer> ONE_AT_A_TIME = Map.of("dbos", 100, "dbos-queued", 100,
      "db-scheduler", 50, "operaton", 50);

  @Override
  public String name() {
    return "peers";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Path script = bench.options().peersFolder().resolve("run");
    if (!bench.options().peers() || !Files.isExecutable(script)) {
      bench.report().fact("peers", bench.options().peers()
          ? "not found in " + bench.options().peersFolder().getFileName() : "left out");
      System.out.println(
          "   no peers: " + (bench.options().peers() ? script + " is not there" : "not wanted"));
      return;
    }
    bench.servers().close();
    Files.deleteIfExists(bench.options().folder().resolve("peers.log"));
    Map<String, List<JsonObject>> rounds = new LinkedHashMap<>();
    Map<String, double[]> costs = new LinkedHashMap<>();
    for (String peer : bench.options().peerNames()) {
      System.out.println("   " + peer + " ...");
      for (JsonObject line : run(script, bench, peer, costs)) {
        rounds.computeIfAbsent(line.getString("peer"), name -> new ArrayList<>()).add(line);
      }
    }
    report(bench, rounds, costs);
  }

  /**
   * @param costs gets, by the name of the peer, the commits that wrote and the log bytes of a
   * workflow
   */
  private static List<JsonObject> run(Path script, Bench bench, String peer,
      Map<String, double[]> costs)
      throws IOException, SQLException, InterruptedException {
    Process process = new ProcessBuilder(script.toString(), bench.database().url(),
        Integer.toString(bench.options().peerWorkflows()), peer)
        .redirectError(ProcessBuilder.Redirect
            .appendTo(bench.options().folder().resolve("peers.log").toFile()))
        .start();
    List<JsonObject> lines = new ArrayList<>();
    String before = bench.database().value(String.class,
        "select pg_current_wal_insert_lsn()::text");
    bench.database().run("checkpoint");
    try (BufferedReader output = new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("{")) {
          try (var reader = Json.createReader(new StringReader(line))) {
            lines.add(reader.readObject());
          }
        }
      }
    }
    if (process.waitFor() != 0 || lines.isEmpty()) {
      bench.report().complain("the peer " + peer + " gave no result; its output is in "
          + bench.options().folder().resolve("peers.log"));
    }
    if (!lines.isEmpty()) {
      // What it prints comes at its end, so its warm-up and what makes its tables are in both.
      double workflows = bench.options().peerWorkflows() / 4
          + 2 * (bench.options().peerWorkflows() + ONE_AT_A_TIME.getOrDefault(peer, 0));
      costs.put(lines.get(0).getString("peer"), new double[]{
        Counters.writeCommitsSince(bench.database(), before) / workflows,
        bench.database().number("pg_current_wal_insert_lsn() - ?::pg_lsn", before) / workflows});
    }
    return lines;
  }

  private static void report(Bench bench, Map<String, List<JsonObject>> rounds,
      Map<String, double[]> costs) {
    Report.Table table = bench.report().table(
        "Peers: linear workflows of 4 durable no-op steps, in-process, no HTTP",
        "peer", "workflows", "steps/s", "all rounds", "one at a time P50 ms", "P99 ms",
        "commits that wrote, per workflow", "log bytes per workflow");
    JsonObjectBuilder figures = Json.createObjectBuilder();
    rounds.forEach((peer, lines) -> {
      double[] steps = values(lines, "steps_per_s");
      double p50 = Samples.of(values(lines, "p50_ms")).median();
      double p99 = Samples.of(values(lines, "p99_ms")).median();
      double[] cost = costs.getOrDefault(peer, new double[]{Double.NaN, Double.NaN});
      table.row(peer, lines.get(0).getInt("workflows"), Samples.of(steps).median(),
          Report.formatAll(steps), p50, p99, cost[0], cost[1]);
      figures.add(peer,
          Json.createObjectBuilder().add("steps_per_s", Samples.of(steps).median())
              .add("p50_ms", p50).add("p99_ms", p99)
              .add("steps_per_s_rounds", Report.array(steps))
              .add("p50_ms_rounds", Report.array(values(lines, "p50_ms"))));
    });
    bench.report().peers(figures.build());
  }

  private static double[] values(List<JsonObject> lines, String name) {
    return lines.stream().mapToDouble(line -> line.getJsonNumber(name).doubleValue()).toArray();
  }
}
