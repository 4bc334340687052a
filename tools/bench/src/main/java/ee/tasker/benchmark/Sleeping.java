package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/**
 * What others notice of a million steps that sleep for a month: throughput, latency, memory of the
 * server and work of the idle database,
 * before and with them. Then some of them are due within one second.
 */
final class Sleeping implements Phase {
  private static final int DUE = 10_000;
  private static final String TEMPLATE = """
      name: sleeping
      namespace_name: benchmark
      version: "1.0.0"
      identity_strategy: always_unique
      steps:
        - {name: trial, wait: {for: P30D}}
        - {name: after, dependencies: [trial], handler: {callable: benchmark.NoOp}}
      """;

  @Override
  public String name() {
    return "sleeping";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Database database = bench.database();
    int sleeping = options.sleeping();
    // Both rows begin at a checkpoint: after one, the first change of each page writes the page to
    // the log.
    database.run("checkpoint");
    bench.batches("sleeping, warm-up", options.tasks().get(0));
    Round before = Round.of(bench);
    UUID pattern = asleep(bench);
    long start = System.nanoTime();
    System.out.println("   making " + sleeping + " sleeping steps ...");
    try (var one = database.connect("tasker"); var other = database.connect("tasker")) {
      Clones.inParallel(one, other, pattern, sleeping);
    }
    database
        .run(
            "vacuum (analyze) tasker.tasks, tasker.task_contexts, tasker.task_wakeups, tasker.workflow_steps, tasker.added_step_edges, "
                + "tasker.step_waits, tasker.task_moves, tasker.step_moves");
    database.run("checkpoint");
    double seconds = (System.nanoTime() - start) / 1e9;
    bench.batches("sleeping, warm-up", options.tasks().get(0));
    Round with = Round.of(bench);
    long open = database.value(Long.class,
        "select count(*) from tasker.step_waits where state = 'open'");
    if (open != sleeping + 1L) {
      bench.report()
          .complain("sleeping: expected " + (sleeping + 1) + " open waits, found " + open);
    }

    double loss = 1
        - Samples.of(with.stepsPerSecond).median() / Samples.of(before.stepsPerSecond).median();
    Report.Table table = bench.report().table(
        "With " + sleeping + " sleeping steps (made in " + Report.format(seconds) + " s)",
        "measure",
        "before", "with", "all rounds before", "with");
    table
        .row("steps/s of linear_4 in batches", Samples.of(before.stepsPerSecond).median(),
            Samples.of(with.stepsPerSecond).median(), Report.formatAll(before.stepsPerSecond),
            Report.formatAll(with.stepsPerSecond))
        .row("the same, µs of the database's processor per step",
            Samples.of(before.microsPerStep).median(), Samples.of(with.microsPerStep).median(),
            Report.formatAll(before.microsPerStep), Report.formatAll(with.microsPerStep))
        .row("one at a time, P50 ms", Samples.of(before.p50).median(),
            Samples.of(with.p50).median(), Report.formatAll(before.p50), Report.formatAll(with.p50))
        .row("resident memory of the server, MiB", before.mebibytes, with.mebibytes, "", "")
        .row("idle: processor ms of the database per second", before.idleMillis, with.idleMillis,
            "", "")
        .row("idle: statements per second", before.idleStatements, with.idleStatements, "", "")
        .row("loss, %", "", 100 * loss, "", "");
    bench.report().figure("sleeping_before_steps_per_s", before.stepsPerSecond);
    bench.report().figure("sleeping_steps_per_s", with.stepsPerSecond);
    bench.report().figure("sleeping_loss", loss);
    due(bench, Math.min(DUE, sleeping));
  }

  /** @return a task whose first step sleeps */
  private static UUID asleep(Bench bench) throws IOException, SQLException, InterruptedException {
    Load.register(bench.servers(), TEMPLATE);
    OffsetDateTime begin = bench.database().now();
    try (Line line = bench.servers().line(0)) {
      Line.Answer answer = line.post("/v1/tasks",
          Load.request("sleeping").getBytes(StandardCharsets.UTF_8));
      if (!answer.text().contains("task_uuid")) {
        throw new IOException("the sleeping task was refused: " + answer.text());
      }
    }
    for (int i = 0; i < 600; i++) {
      UUID task = bench.database().value(UUID.class,
          "select w.task_uuid from tasker.step_waits w join tasker.tasks t using (task_uuid) where w.state = 'open' and w.task_uuid >= ? "
              + "and t.state = 'waiting_for_dependencies'",
          Database.keyFrom(begin));
      if (task != null) {
        return task;
      }
      Thread.sleep(50);
    }
    throw new IllegalStateException("the step does not sleep");
  }

  /**
   * So many timers, spread over one second. They are moved behind the server's back, which has its
   * own clock set for the earliest wake-up
   * that it knows; that second begins after its next poll.
   */
  private static void due(Bench bench, int timers) throws SQLException, InterruptedException {
    Database database = bench.database();
    OffsetDateTime first = database.now().plusSeconds(40);
    database
        .run("create temporary table due as select w.wait_uuid, w.task_uuid, timestamptz '" + first
            + "' + row_number() over (order by md5(w.wait_uuid::text)) * interval '1 second' / "
            + timers
            + " as at from (select * from tasker.step_waits where state = 'open' limit " + timers
            + ") w");
    database.run(
        "update tasker.step_waits w set due_at = d.at from due d where w.wait_uuid = d.wait_uuid");
    database.run(
        "update tasker.task_wakeups w set wake_at = d.at from due d where w.task_uuid = d.task_uuid");
    double late = Double.NaN;
    for (int i = 0; i < 1200 && Double.isNaN(late); i++) {
      if (database.value(Long.class,
          "select count(*) from due d join tasker.tasks t using (task_uuid) where t.completed_at is null") == 0) {
        late = database
            .number(
                "select max(extract(epoch from w.ended_at - w.due_at)) from tasker.step_waits w join due d using (wait_uuid)");
      } else {
        Thread.sleep(100);
      }
    }
    double disorder = database.number(
        "select count(*) from (select w.ended_at < lag(w.ended_at) over (order by w.due_at) as is_early "
            + "from tasker.step_waits w join due d using (wait_uuid)) o where is_early");
    bench.report().table(timers + " timers due within one second", "measure", "value")
        .row("longest from due to fired, s", late)
        .row("median, ms",
            database.number(
                "select 1000 * percentile_cont(0.5) within group (order by extract(epoch from w.ended_at - w.due_at)) "
                    + "from tasker.step_waits w join due d using (wait_uuid)"))
        .row("fired before one that was due earlier", disorder);
    bench.report().figure("timers_due_longest_s", late);
    if (!(late <= 10) || disorder > 0) {
      bench.report().complain(
          "sleeping: the last timer fired " + late + " s late, " + disorder + " out of order");
    }
    database.run("drop table due");
  }

  private record Round(double[] stepsPerSecond, double[] microsPerStep, double[] p50,
      double mebibytes, double idleMillis, double idleStatements) {
    static Round of(Bench bench) throws IOException, SQLException, InterruptedException {
      Options options = bench.options();
      int tasks = options.tasks().get(options.tasks().size() - 1);
      double[] speeds = new double[options.rounds()];
      double[] micros = new double[options.rounds()];
      double[] latencies = new double[options.rounds()];
      for (int round = 0; round < speeds.length; round++) {
        Cpu begin = Cpu.of(bench.servers().handles(), bench.database().postmaster());
        speeds[round] = bench.batches("sleeping", tasks);
        micros[round] = 1e6 * Cpu.of(bench.servers().handles(), bench.database().postmaster())
            .since(begin).database() / (4.0 * tasks);
        latencies[round] = bench.load().oneAtATime("linear_4", options.latencyTasks() / 2).p50();
      }
      Thread.sleep(options.settleSeconds() * 1000L);
      Counters.resetStatements(bench.database());
      List<ProcessHandle> servers = bench.servers().handles();
      Cpu cpu = Cpu.of(servers, bench.database().postmaster());
      Thread.sleep(options.idleSeconds() * 1000L);
      double idle = Cpu.of(servers, bench.database().postmaster()).since(cpu).database();
      return new Round(speeds, micros, latencies, resident(servers),
          1000 * idle / options.idleSeconds(),
          Counters.statements(bench.database()) / options.idleSeconds());
    }

    /** NaN where the system does not tell (no {@code /proc}). */
    private static double resident(List<ProcessHandle> servers) {
      try {
        double kibibytes = 0;
        for (ProcessHandle server : servers) {
          for (String line : Files
              .readAllLines(Path.of("/proc", Long.toString(server.pid()), "status"))) {
            if (line.startsWith("VmRSS:")) {
              kibibytes += Double.parseDouble(line.replaceAll("\\D", ""));
            }
          }
        }
        return kibibytes / 1024;
      } catch (IOException e) {
        return Double.NaN;
      }
    }
  }
}
