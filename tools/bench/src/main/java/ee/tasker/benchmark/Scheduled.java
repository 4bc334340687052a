package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * A thousand schedules that fire every second, for five minutes, by two servers: one task for each
 * fire time, and how late it is.
 */
final class Scheduled implements Phase {
  private static final String TEMPLATE = """
      name: scheduled
      namespace_name: benchmark
      version: "1.0.0"
      steps:
        - {name: run, handler: {callable: benchmark.NoOp}}
      """;
  /**
   * The servers have set their clocks for the earliest wake-up that they know; they find the new
   * ones in their next poll.
   */
  private static final int AHEAD_SECONDS = 40;

  @Override
  public String name() {
    return "schedules";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Database database = bench.database();
    long schedules = options.schedules();
    long seconds = options.scheduleSeconds();
    bench.servers().have(2);
    Load.register(bench.servers(), TEMPLATE);
    OffsetDateTime begin = database.now();
    OffsetDateTime first = begin.plusSeconds(AHEAD_SECONDS).withNano(0);
    Cost cost = bench.measureQuickly(schedules + " schedules every second for " + seconds + " s",
        () -> {
          database
              .run(
                  "insert into tasker.schedules (namespace_name, name, template_name, every_seconds, anchor_at, ends_at, overlap, catch_up, "
                      + "next_fire_at, next_due_at, created_by, updated_by) select 'benchmark', 'every second ' || n, 'scheduled', 1, t.first, "
                      + "t.first + interval '" + seconds
                      + " seconds', 'allow', 'all', t.first, t.first, 'benchmark', 'benchmark' "
                      + "from generate_series(1, " + schedules + ") n, (select timestamptz '"
                      + first + "' as first) t");
          awaitEnd(database, Duration.ofSeconds(AHEAD_SECONDS + 4 * seconds + 60));
          database.awaitRest(begin, Duration.ofMinutes(10));
        });

    long fires = schedules * seconds;
    long started = database.value(Long.class,
        "select count(*) from tasker.schedule_fires where outcome = 'started' and not is_range");
    long tasks = database.value(Long.class,
        "select count(*) from tasker.tasks t join tasker.schedule_fires f using (task_uuid)");
    double last = database.number("select extract(epoch from max(decided_at) - timestamptz '"
        + first + "') from tasker.schedule_fires");
    double longest = database
        .number("select max(extract(epoch from decided_at - fire_at)) from tasker.schedule_fires");
    bench.report()
        .table(
            schedules + " schedules that fire every second for " + seconds + " s, by two servers",
            "measure", "value")
        .row("fire times", fires)
        .row("tasks, one for each", tasks)
        .row("from the first fire time to the last submission, s", last)
        .row("tasks submitted per second", started / last)
        .row("median delay of a fire, ms", database.number(
            "select 1000 * percentile_cont(0.5) within group (order by extract(epoch from decided_at - fire_at)) from tasker.schedule_fires"))
        .row("99 % of them within, ms", database.number(
            "select 1000 * percentile_cont(0.99) within group (order by extract(epoch from decided_at - fire_at)) from tasker.schedule_fires"))
        .row("longest, s", longest)
        .row("µs of the database per step", cost.databaseMicrosPerStep());
    bench.report().figure("schedules_tasks_per_s", started / last);
    bench.report().figure("schedules_longest_delay_s", longest);
    if (started != fires || tasks != fires) {
      bench.report().complain(
          "schedules: " + fires + " fire times, " + started + " started, " + tasks + " tasks");
    }
    bench.expectComplete("schedules", (int) fires, begin);
    database.run(
        "update tasker.schedules set deleted_at = clock_timestamp() where namespace_name = 'benchmark' and deleted_at is null");
    bench.servers().have(1);
  }

  private static void awaitEnd(Database database, Duration longest)
      throws SQLException, InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (database.value(Long.class,
        "select count(*) from tasker.schedules where wake_at is not null and namespace_name = 'benchmark'") > 0
        && System.nanoTime() < end) {
      Thread.sleep(500);
    }
  }
}
