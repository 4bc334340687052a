package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Processor seconds used so far, by process.
 *
 * @param database NaN where the system does not report ended processes (no {@code /proc})
 */
record Cpu(double servers, double database, double generator) {
  private static final double TICKS_PER_SECOND = 100;

  static Cpu of(List<ProcessHandle> servers, long postmaster) {
    double all = servers.stream().mapToDouble(Cpu::seconds).sum();
    return new Cpu(all, database(postmaster), seconds(ProcessHandle.current()));
  }

  Cpu since(Cpu before) {
    return new Cpu(servers - before.servers, database - before.database,
        generator - before.generator);
  }

  private static double seconds(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  /** The postmaster reports its ended children; the running ones are queried. */
  private static double database(long postmaster) {
    try {
      double ticks = ticks(postmaster, true);
      for (ProcessHandle child : ProcessHandle.of(postmaster).orElseThrow().children().toList()) {
        ticks += ticks(child.pid(), false);
      }
      return ticks / TICKS_PER_SECOND;
    } catch (IOException | RuntimeException e) {
      return Double.NaN;
    }
  }

  private static double ticks(long pid, boolean withEndedChildren) throws IOException {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    } catch (IOException e) {
      if (withEndedChildren) {
        throw e;
      }
      return 0;
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    double own = Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
    return withEndedChildren ? own + Double.parseDouble(fields[13]) + Double.parseDouble(fields[14])
        : own;
  }
}
