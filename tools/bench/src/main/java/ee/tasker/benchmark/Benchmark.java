package ee.tasker.benchmark;

import ee.tasker.run.RunProblem;
import jakarta.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

/**
 * {@code ./mvnw -Pbenchmark}: runs the requested phases and prints their results. Fails when a task
 * did not complete, or a promise was not kept to one.
 */
public final class Benchmark {
  private static final List<Phase> PHASES = List.of(
      new Floor(), new Peers(), new Latency(), new UnderLoad(), new Overload(), new Throughput(),
      new FanOut(), new Orders(), new Idle(),
      new MoreServers(), new MoreConnections(),
      new Submission(), new Payload(), new Snapshot(),
      new ManyFinished(), new Purging(), new Bloat(), new Sleeping(), new Scheduled(),
      new SlowPlans(), new Plans(), new Waiting(),
      new GrowingCost(), new GrownSteps(), new CostModel(), new RowsAlone(), new Calls(),
      new Without());
  private static final List<String> TEMPLATES = List.of("linear_4", "diamond", "complex_dag",
      "tree", "orders_5_ms", "echo_4");

  private final Options options;
  private final Database database;
  private final Servers servers;
  private final Report report = new Report();
  private Report.Table checks;

  private Benchmark(Options options) {
    this.options = options;
    this.database = new Database(options);
    this.servers = new Servers(options, database.embedded().address());
  }

  public static void main(String[] arguments)
      throws IOException, SQLException, InterruptedException {
    Options options = new Options(System.getProperties());
    if (options.publish()) {
      Publication.publish(options.target(), options.checkout().resolve("docs"));
      return;
    }
    Files.createDirectories(options.folder());
    Benchmark benchmark = new Benchmark(options);
    Thread stop = new Thread(benchmark::close, "benchmark-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      benchmark.run();
    } catch (RunProblem problem) {
      System.err.println("\n" + problem.getMessage());
      System.exit(1);
    } finally {
      benchmark.close();
    }
    Runtime.getRuntime().removeShutdownHook(stop);
    benchmark.finish();
  }

  private void run() throws IOException, SQLException, InterruptedException {
    System.out.println("Starting PostgreSQL " + options.postgresVersion() + " ...");
    database.start();
    Machine.describe(report, database, options);
    Cost.begin(report);
    Bench bench = new Bench(options, database, servers, new Load(servers), report);
    boolean isWarm = false;
    Report.Table durations = report.table("What took how long", "phase", "seconds");
    for (Phase phase : PHASES) {
      if (options.wants(phase.name())) {
        long start = System.nanoTime();
        if (phase.needsServer() && !isWarm) {
          warmUp(bench);
          isWarm = true;
        }
        System.out.println(phase.name() + " ...");
        if (phase.needsServer()) {
          servers.have(1);
        }
        if (phase instanceof Snapshot) {
          TablesAfterwards.hotRatios(report, database);
        }
        OffsetDateTime begin = database.now();
        phase.run(bench);
        if (phase.needsServer() && options.check()) {
          check(phase, begin);
        }
        durations.row(phase.name(), (System.nanoTime() - start) / 1e9);
        report.write(options.target());
      }
    }
    servers.close();
    if (isWarm) {
      if (!options.wants("snapshot")) {
        TablesAfterwards.hotRatios(report, database);
      }
      TablesAfterwards.addTo(report, database);
    }
  }

  /** Whether every promise was kept to the tasks of a phase. */
  private void check(Phase phase, OffsetDateTime begin) throws SQLException {
    System.out.println("   check_history ...");
    if (checks == null) {
      checks = report.table("The tasks of each phase, by check_history", "phase", "tasks",
          "invariants", "violations", "moves of the models");
    }
    int invariants = 0;
    long violations = 0;
    for (List<String> found : database
        .rows("select invariant, violations, examples from tasker.check_history(?)", begin)) {
      invariants++;
      violations += Long.parseLong(found.get(1));
      if (!"0".equals(found.get(1))) {
        report.complain(phase.name() + ": " + found.get(1) + " violations of " + found.get(0)
            + ", for instance " + found.get(2));
      }
    }
    long moves = 0;
    long unknown = 0;
    for (List<String> kind : database.rows(
        "select moves, unknown, concat_ws(' ', kind, from_state, to_state, actor, examples) from tasker.replay_moves(?)",
        begin)) {
      moves += Long.parseLong(kind.get(0));
      unknown += Long.parseLong(kind.get(1));
      if (!"0".equals(kind.get(1))) {
        report.complain(phase.name() + ": " + kind.get(1)
            + " moves that the models do not know, for instance " + kind.get(2));
      }
    }
    System.out.printf("   moves of the models: %d replayed, %d unknown%n", moves, unknown);
    checks.row(phase.name(),
        database.value(Integer.class,
            "select count(*)::int from tasker.tasks where created_at >= ?", begin),
        invariants, violations, moves);
  }

  private void warmUp(Bench bench) throws IOException, SQLException, InterruptedException {
    System.out.println("Starting a server and warming it up ...");
    servers.have(1);
    for (String template : TEMPLATES) {
      try (InputStream text = Benchmark.class
          .getResourceAsStream("/benchmark/" + template + ".yaml")) {
        Load.register(servers, new String(text.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    int third = options.warmup() / 3;
    bench.untilComplete("warm-up", third * 3, () -> {
      bench.load().batches("linear_4", third, options.batch(), options.batchConnections());
      bench.load().singles("linear_4", third, options.connections());
      bench.load().oneAtATime("linear_4", third);
    });
  }

  private void finish() throws IOException {
    report.write(options.target());
    try (var reader = Json.createReader(new StringReader(report.json()))) {
      Charts.write(reader.readObject(), options.target());
    }
    System.out.println("\n" + report.markdown());
    System.out.println("Written to " + options.target().resolve("benchmark.md")
        + ", benchmark.json and charts; -Dbenchmark.publish=true puts them into docs.");
    if (!report.complaints().isEmpty()) {
      System.err.println("\nNot everything completed: " + String.join("; ", report.complaints()));
      System.exit(1);
    }
  }

  private void close() {
    servers.close();
    database.close();
  }
}
