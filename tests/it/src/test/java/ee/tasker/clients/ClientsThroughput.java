package ee.tasker.clients;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Steps per second of workers over HTTP, beside the handlers of the server in the same run: the
 * figures of docs/clients.md. Prints a
 * table, with the CPU time that a step costs each of the processes. Run only by name: {@code
 * -Dit.test=ClientsThroughput}, with
 * {@code -Dclients.tasks=2000}, {@code -Dclients.rounds=3} and {@code -Dclients.only=server,lean}
 * for other sizes and fewer kinds.
 */
@AgainstServer
class ClientsThroughput {
  private static final int TASKS = Integer.getInteger("clients.tasks", 1_000);
  private static final int ROUNDS = Integer.getInteger("clients.rounds", 3);
  private static final String ONLY = System.getProperty("clients.only",
      "server,lean,python,typescript");
  private static final int STEPS = 4;
  private static final int MOST_IN_A_REQUEST = 1_000;
  /** With those of this program, and of the server's own work meanwhile. */
  private static final String COMMITS = "select sum(xact_commit) from pg_stat_database where datname = current_database()";

  private final TaskerClient admin;

  @TempDir
  private Path folder;

  ClientsThroughput(TaskerClient admin) {
    this.admin = admin;
  }

  /** @param language null for the lean worker; none of either for the server's own handlers */
  private record Workers(String what, String handlers, Language language, int processes,
      int capacity) {
    boolean isWanted() {
      return List.of(ONLY.split(",")).contains(handlers);
    }
  }

  @Test
  void linear_tasks_are_run_by_workers_of_each_kind() {
    Answer created = admin.post("/v1/access/keys",
        quoted("{'name': 'throughput', 'grants': [{'role': 'worker'}]}"));
    List<Workers> kinds = Stream.of(new Workers("the handlers of the server", "server", null, 0, 0),
        new Workers("lean, 10 workers, batches of 50", "lean", null, 10, 50),
        new Workers("Python, 1 process of 50 threads", "python", Language.PYTHON, 1, 50),
        new Workers("Python, 10 processes of 50 threads", "python", Language.PYTHON, 10, 50),
        new Workers("TypeScript, 1 process, capacity 100", "typescript", Language.TYPESCRIPT, 1,
            100),
        new Workers("TypeScript, 10 processes, capacity 50", "typescript", Language.TYPESCRIPT, 10,
            50))
        .filter(Workers::isWanted).toList();
    kinds.stream().map(Workers::handlers).distinct().forEach(this::template);
    System.out.printf(
        "throughput: %d linear tasks of %d steps%nround  %-40s %8s %6s   CPU ms a step: %6s %8s %7s  %8s a step%n",
        TASKS, STEPS,
        "workers",
        "steps/s", "ratio", "server", "database", "workers", "commits");
    for (int round = 0; round < ROUNDS; round++) {
      double ofServer = 0;
      for (Workers kind : kinds) {
        double rate = kind.language() == null ? lean(kind, round, ofServer, created.text("key"))
            : programs(kind, round, ofServer, created.text("key"));
        ofServer = kind == kinds.get(0) ? rate : ofServer;
      }
    }
  }

  private double lean(Workers kind, int round, double ofServer, String key) {
    TaskerClient caller = admin.with(Map.of("Authorization", "Bearer " + key));
    List<LeanWorker> workers = Stream
        .generate(() -> new LeanWorker(caller, "lean.Echo", kind.capacity()))
        .limit(kind.processes()).toList();
    try {
      return measure(kind, round, ofServer, List.of(ProcessHandle.current()));
    } finally {
      workers.forEach(LeanWorker::close);
    }
  }

  private double programs(Workers kind, int round, double ofServer, String key) {
    List<ClientProcess> processes = new ArrayList<>();
    try {
      for (int i = 0; i < kind.processes(); i++) {
        List<String> command = new ArrayList<>(kind.language().command(kind.language().live()));
        command.addAll(List.of(Integer.toString(kind.capacity()), kind.handlers()));
        processes.add(ClientProcess.start(folder, command, admin.base(), key));
      }
      processes.forEach(ClientProcess::ready);
      return measure(kind, round, ofServer, processes.stream().map(ClientProcess::handle).toList());
    } finally {
      processes.forEach(ClientProcess::terminate);
      processes.forEach(ClientProcess::exit);
    }
  }

  private double measure(Workers kind, int round, double ofServer, List<ProcessHandle> workers) {
    CpuTimes before = CpuTimes.now(admin, workers.stream());
    long commits = admin.count(COMMITS);
    double rate = stepsPerSecond(kind);
    CpuTimes took = CpuTimes.now(admin, workers.stream()).minus(before);
    int steps = TASKS * STEPS;
    System.out.printf("%-6d %-40s %8.0f %6s                  %6.2f %8.2f %7.2f  %8.3f%n", round,
        kind.what(), rate, ofServer == 0 ? "" : "%.2f".formatted(rate / ofServer),
        CpuTimes.each(took.server(), steps), CpuTimes.each(took.database(), steps),
        CpuTimes.each(took.workers(), steps), (admin.count(COMMITS) - commits) / (double) steps);
    return rate;
  }

  private void template(String handlers) {
    StringBuilder yaml = new StringBuilder("""
        name: throughput_%s
        namespace_name: remote
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
        """.formatted(handlers));
    for (int step = 1; step <= STEPS; step++) {
      yaml.append(
          "  - {name: s%d, %shandler: {callable: %s.Echo}}%n".formatted(step,
              step == 1 ? "" : "dependencies: [s" + (step - 1) + "], ",
              handlers.equals("server") ? "testing" : handlers));
    }
    assertThat(admin.postTemplate(yaml.toString()).status()).isBetween(200, 201);
  }

  private double stepsPerSecond(Workers kind) {
    String request = TaskerClient.taskRequest("remote", "throughput_" + kind.handlers(), "{}");
    long before = ended(kind);
    long begin = System.nanoTime();
    for (int rest = TASKS; rest > 0; rest -= MOST_IN_A_REQUEST) {
      String tasks = String.join(",",
          Collections.nCopies(Math.min(rest, MOST_IN_A_REQUEST), request));
      assertThat(admin.post("/v1/tasks:batch", "[" + tasks + "]").status()).isEqualTo(207);
    }
    TaskerClient.until("all have ended", Duration.ofMinutes(5),
        () -> ended(kind) == before + TASKS);
    return TASKS * STEPS * 1e9 / (System.nanoTime() - begin);
  }

  private long ended(Workers kind) {
    return admin.count(
        "select count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where n.name = ? and t.state = 'complete'",
        "throughput_" + kind.handlers());
  }
}
