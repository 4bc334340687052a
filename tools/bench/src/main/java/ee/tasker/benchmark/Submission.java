package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * Submission alone, on a server without the worker role: each task is created and its first step
 * queued. Then a server with
 * all roles works off the backlog, with every first step coming from the queue.
 */
final class Submission implements Phase {

  @Override
  public String name() {
    return "submission";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int tasks = options.tasks().get(0);
    bench.servers().close();
    bench.servers().start("api,orchestrator");
    OffsetDateTime begin = bench.database().now();
    // As many as the servers of the other phases have seen by then: the first ten thousand requests
    // of a JVM cost several times the later ones.
    bench.load().singles("linear_4", 2 * options.warmup(), options.connections());
    bench.load().batches("linear_4", options.warmup() / 2, options.batch(),
        options.batchConnections());

    double[] singles = new double[options.rounds()];
    bench.measure("submission, one POST each: " + tasks + " tasks", () -> time(singles, tasks,
        () -> bench.load().singles("linear_4", tasks, options.connections())));
    bench.load().refused("linear_4", options.warmup() / 2, options.connections());
    double[] refused = new double[options.rounds()];
    System.out.println("   submission, refused requests: " + tasks + " ...");
    Cpu before = Cpu.of(bench.servers().handles(), bench.database().postmaster());
    time(refused, tasks, () -> bench.load().refused("linear_4", tasks, options.connections()));
    double refusedMs = Cpu.of(bench.servers().handles(), bench.database().postmaster())
        .since(before).servers() * 1000 / tasks
        / refused.length;
    double[] alone = new double[options.rounds()];
    bench.measureQuickly("submission, one POST at a time: " + options.latencyTasks() + " tasks",
        () -> time(alone, options.latencyTasks(),
            () -> bench.load().singles("linear_4", options.latencyTasks(), 1)));
    double[] batches = new double[options.rounds()];
    bench.measureQuickly("submission, batches: " + tasks + " tasks", () -> time(batches, tasks,
        () -> bench.load().batches("linear_4", tasks, options.batch(),
            options.batchConnections())));

    bench.report()
        .table("Submission alone (tasks per second; median of rounds)", "requests", "tasks/s",
            "all rounds")
        .row("one POST each, " + options.connections() + " connections",
            Samples.of(singles).median(), Report.formatAll(singles))
        .row(
            "the same with a context that is refused, without the database: "
                + Report.format(refusedMs)
                + " ms of the server's processors each",
            Samples.of(refused).median(), Report.formatAll(refused))
        .row("one POST each, one connection", Samples.of(alone).median(), Report.formatAll(alone))
        .row("batches of " + options.batch(), Samples.of(batches).median(),
            Report.formatAll(batches));
    bench.report().figure("intake_per_s", singles);
    bench.report().figure("refused_per_s", refused);
    bench.report().figure("refused_server_ms", refusedMs);
    bench.report().figure("intake_batched_per_s", batches);
    workOff(bench, begin);
  }

  private static void time(double[] rates, int tasks, Bench.Work work)
      throws IOException, SQLException, InterruptedException {
    for (int round = 0; round < rates.length; round++) {
      long start = System.nanoTime();
      work.run();
      rates[round] = tasks / ((System.nanoTime() - start) / 1e9);
    }
  }

  private static void workOff(Bench bench, OffsetDateTime begin)
      throws IOException, SQLException, InterruptedException {
    int backlog = bench.database().value(Integer.class,
        "select count(*)::int from tasker.tasks where task_uuid >= ?", Database.keyFrom(begin));
    System.out.println("   working off " + backlog + " tasks ...");
    bench.servers().close();
    bench.servers().have(1);
    bench.database().awaitRest(begin, Duration.ofMinutes(10));
    bench.expectComplete("backlog", backlog, begin);
    double seconds = bench.database().number(
        "select extract(epoch from max(completed_at) - min(completed_at)) from tasker.tasks where task_uuid >= ?",
        Database.keyFrom(begin));
    bench.report().table("Backlog worked off by a server that has just started", "tasks", "steps/s")
        .row(backlog, 4 * backlog / seconds);
    bench.report().figure("backlog_steps_per_s", 4 * backlog / seconds);
  }
}
