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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Steps per second of workers in other languages, beside the handlers of the server on the same machine: the figures of docs/clients.md.
 * Run only by name: {@code -Dit.test=ClientsThroughput}.
 */
@AgainstServer
class ClientsThroughput {
  private static final int TASKS = 500;
  private static final int STEPS = 4;

  private final TaskerClient admin;

  @TempDir
  private Path folder;

  ClientsThroughput(TaskerClient admin) {
    this.admin = admin;
  }

  private record Workers(String what, String handlers, Language language, int processes, int capacity) {
  }

  @Test
  void linear_tasks_are_run_by_workers_of_each_kind() {
    Answer created = admin.post("/v1/access/keys", quoted("{'name': 'throughput', 'grants': [{'role': 'worker'}]}"));
    List<Workers> kinds = List.of(new Workers("the server", "testing", null, 0, 0),
        new Workers("Python, 1 process of 10 threads", "python", Language.PYTHON, 1, 10),
        new Workers("Python, 1 process of 50 threads", "python", Language.PYTHON, 1, 50),
        new Workers("Python, 10 processes of 10 threads", "python", Language.PYTHON, 10, 10),
        new Workers("TypeScript, 1 process, capacity 10", "typescript", Language.TYPESCRIPT, 1, 10),
        new Workers("TypeScript, 1 process, capacity 100", "typescript", Language.TYPESCRIPT, 1, 100));
    List.of("testing", "python", "typescript").forEach(this::template);
    for (int round = 0; round < 2; round++) {
      for (Workers kind : kinds) {
        List<ClientProcess> processes = new ArrayList<>();
        try {
          for (int i = 0; i < kind.processes(); i++) {
            List<String> command = new ArrayList<>(kind.language().command(kind.language().live()));
            command.addAll(List.of(Integer.toString(kind.capacity()), kind.handlers()));
            processes.add(ClientProcess.start(folder, command, admin.base(), created.text("key")));
          }
          processes.forEach(ClientProcess::ready);
          System.out.printf("throughput, round %d, %s: %.0f steps/s%n", round, kind.what(), stepsPerSecond(kind));
        } finally {
          processes.forEach(ClientProcess::terminate);
          processes.forEach(ClientProcess::exit);
        }
      }
    }
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
          "  - {name: s%d, %shandler: {callable: %s.Echo}}%n".formatted(step, step == 1 ? "" : "dependencies: [s" + (step - 1) + "], ",
              handlers));
    }
    assertThat(admin.postTemplate(yaml.toString()).status()).isBetween(200, 201);
  }

  private double stepsPerSecond(Workers kind) {
    String request = TaskerClient.taskRequest("remote", "throughput_" + kind.handlers(), "{}");
    long before = ended(kind);
    long begin = System.nanoTime();
    assertThat(admin.post("/v1/tasks:batch", "[" + String.join(",", Collections.nCopies(TASKS, request)) + "]").status()).isEqualTo(207);
    TaskerClient.until("all have ended", Duration.ofMinutes(5), () -> ended(kind) == before + TASKS);
    return TASKS * STEPS * 1e9 / (System.nanoTime() - begin);
  }

  private long ended(Workers kind) {
    return admin.count(
        "select count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where n.name = ? and t.state = 'complete'",
        "throughput_" + kind.handlers());
  }
}
