package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * With {@code benchmark.bloat.minutes}: linear tasks at a steady rate, each by a POST of its own,
 * and every few minutes their times, the memory of the server,
 * the size of the hot tables and their indexes and the share of dead rows. A table with constant
 * bytes per live row does not bloat; the two that hold work
 * in progress only must not grow at all.
 */
final class Bloat implements Phase {
  private static final int CONNECTIONS = 16;
  private static final List<String> TABLES = List.of("tasker.tasks", "tasker.workflow_steps",
      "tasker.task_wakeups",
      "pgmq.q_worker_benchmark_queue");

  @Override
  public String name() {
    return "bloat";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int seconds = options.bloatMinutes() * 60;
    if (seconds == 0) {
      return;
    }
    bench.database().run("create extension if not exists pgstattuple");
    String under = options.bloatRate() + " tasks/s of linear_4 for " + options.bloatMinutes()
        + " minutes";
    Report.Table sizes = bench.report().table("Hot tables under " + under, "minute", "table",
        "live rows", "dead rows", "heap MiB",
        "of it free, %",
        "indexes MiB", "leaf pages filled, %", "heap bytes per live row", "vacuums",
        "HOT updates, %");
    Report.Table speed = bench.report().table("Tasks under " + under, "until minute", "tasks",
        "created to completed P50 ms", "P99 ms",
        "due to 201 P50 ms", "P99 ", "CPU ms of the database per step",
        "CPU ms of the server per step", "WAL bytes per step",
        "memory of the server, MiB", "bytes of the database per task made");
    sample(bench, sizes, 0);
    Drift drift = new Drift();
    double bytesBefore = size(bench);
    OffsetDateTime begin = bench.database().now();
    for (int done = 0; done < seconds; done += options.bloatEverySeconds()) {
      int part = Math.min(options.bloatEverySeconds(), seconds - done);
      part(bench, speed, drift, part, done + part, bytesBefore);
      sample(bench, sizes, done + part);
      drift.addTo(bench.report());
      bench.report().write(options.target());
    }
    bench.database().awaitRest(begin, Duration.ofMinutes(10));
    bench.expectComplete("bloat", seconds * options.bloatRate(), begin);
    sample(bench, sizes, seconds);
  }

  /** What must stay as it is, by part. */
  private static final class Drift {
    private final Map<String, List<Double>> parts = new LinkedHashMap<>();

    void add(String name, double value) {
      parts.computeIfAbsent(name, created -> new ArrayList<>()).add(value);
    }

    void addTo(Report report) {
      parts.forEach((name, values) -> report.figure("steady_" + name,
          values.stream().mapToDouble(Double::doubleValue).toArray()));
    }
  }

  private static void part(Bench bench, Report.Table table, Drift drift, int seconds, int until,
      double bytesBefore)
      throws IOException, SQLException {
    OffsetDateTime begin = bench.database().now();
    Counters before = Counters.of(bench.database());
    Cpu cpu = Cpu.of(bench.servers().handles(), bench.database().postmaster());
    Samples answers = bench.load().postAtRate("linear_4", bench.options().bloatRate(), seconds,
        CONNECTIONS);
    double steps = 4.0 * bench.options().bloatRate() * seconds;
    Samples latencies = bench.database().latencies(begin);
    Cpu used = Cpu.of(bench.servers().handles(), bench.database().postmaster()).since(cpu);
    double walBytes = (Counters.of(bench.database()).walBytes() - before.walBytes()) / steps;
    double memory = bench.servers().residentMebibytes();
    double bytes = (size(bench) - bytesBefore) / ((double) until * bench.options().bloatRate());
    table.row(minutes(until), latencies.count(), latencies.p50(), latencies.p99(), answers.p50(),
        answers.p99(), used.database() * 1000 / steps, used.servers() * 1000 / steps, walBytes,
        memory, bytes);
    drift.add("minute", until / 60.0);
    drift.add("p50_ms", latencies.p50());
    drift.add("p99_ms", latencies.p99());
    drift.add("database_cpu_ms_per_step", used.database() * 1000 / steps);
    drift.add("server_mib", memory);
    drift.add("bytes_per_task", bytes);
  }

  private static double size(Bench bench) throws SQLException {
    return bench.database().number("pg_database_size(current_database())");
  }

  private static void sample(Bench bench, Report.Table table, int second) throws SQLException {
    for (String name : TABLES) {
      List<String> row = bench.database().rows("""
          select a.approx_tuple_count::bigint, a.dead_tuple_count, a.table_len / 1048576.0, a.approx_free_percent,
                 (select sum(pg_relation_size(i.indexrelid)) / 1048576.0 from pg_index i where i.indrelid = s.relid),
                 (select sum((pgstatindex(i.indexrelid)).avg_leaf_density * pg_relation_size(i.indexrelid)) / nullif(sum(pg_relation_size(i.indexrelid)), 0)
                  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam and m.amname = 'btree'
                  where i.indrelid = s.relid and pg_relation_size(i.indexrelid) > 8192),
                 a.table_len / nullif(a.approx_tuple_count, 0),
                 s.vacuum_count + s.autovacuum_count, 100.0 * s.n_tup_hot_upd / nullif(s.n_tup_upd, 0)
          from pg_stat_user_tables s cross join pgstattuple_approx(s.relid) a
          where s.relid = to_regclass(?)""", name).stream().findFirst().orElse(null);
      if (row != null) {
        table.row(minutes(second), name, row.get(0), row.get(1), number(row.get(2)),
            number(row.get(3)), number(row.get(4)), number(row.get(5)), number(row.get(6)),
            row.get(7), number(row.get(8)));
      }
    }
  }

  private static String minutes(int seconds) {
    return Report.format(seconds / 60.0);
  }

  private static double number(String value) {
    return value == null || value.equals("NaN") ? Double.NaN : Double.parseDouble(value);
  }
}
