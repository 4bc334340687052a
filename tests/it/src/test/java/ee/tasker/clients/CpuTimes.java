package ee.tasker.clients;

import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * CPU time of the processes that take part in a measurement: on a machine that is busy with other
 * things it says more than the time
 * on the wall.
 */
record CpuTimes(Duration server, Duration database, Duration workers) {

  static CpuTimes now(TaskerClient client, Stream<ProcessHandle> workers) {
    // A process that lives as long as the server of the database, unlike that of a connection.
    long checkpointer = client
        .count("select pid from pg_stat_activity where backend_type = 'checkpointer'");
    ProcessHandle postmaster = ProcessHandle.of(checkpointer).flatMap(ProcessHandle::parent)
        .orElseThrow();
    return new CpuTimes(
        sum(ProcessHandle.current().descendants()
            .filter(process -> process.info().command().filter(name -> name.endsWith("java"))
                .isPresent())),
        sum(Stream.concat(Stream.of(postmaster), postmaster.descendants())), sum(workers));
  }

  private static Duration sum(Stream<ProcessHandle> processes) {
    return processes.map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  CpuTimes minus(CpuTimes earlier) {
    return new CpuTimes(server.minus(earlier.server), database.minus(earlier.database),
        workers.minus(earlier.workers));
  }

  /** Milliseconds a step. */
  static double each(Duration time, int steps) {
    return time.toNanos() / 1e6 / steps;
  }
}
