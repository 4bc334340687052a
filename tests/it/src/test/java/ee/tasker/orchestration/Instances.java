package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;

/** What several servers on one database must show together, for any number of servers. */
final class Instances {
  static final String THREE_ROOTS = TaskerClient.taskRequest("testing", "family", "{}");
  static final String WITH_RETRIES = TaskerClient.taskRequest("testing", "work", "{}");

  private final List<TestServer> servers;
  private final TaskerClient tasker;

  Instances(List<TestServer> servers) {
    this.servers = servers;
    this.tasker = servers.get(0).client();
  }

  /**
   * The same request to all servers at once: one makes the task, the others are told which it is.
   */
  void createTheSameTask(int rounds, int requestsPerServer) {
    for (int round = 0; round < rounds; round++) {
      String request = TaskerClient.taskRequest("testing", "strict_hello",
          "{'who': 'all', 'round': " + round + ", 'servers': " + servers.size() + "}");
      List<CompletableFuture<Answer>> sent = new ArrayList<>();
      for (int i = 0; i < requestsPerServer; i++) {
        for (TestServer server : servers) {
          sent.add(server.client().sendLater(
              server.client().request("/v1/tasks").header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(request))));
        }
      }
      List<Answer> answers = sent.stream().map(CompletableFuture::join).toList();

      assertThat(answers).as("who made it, in round " + round)
          .filteredOn(answer -> answer.status() == 201).hasSize(1);
      assertThat(answers).filteredOn(answer -> answer.status() != 201)
          .allMatch(answer -> answer.status() == 409);
      UUID task = answers.stream().filter(answer -> answer.status() == 201).findFirst()
          .orElseThrow().taskUuid();
      assertThat(answers).extracting(Answer::taskUuid).containsOnly(task);
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    }
  }

  private boolean isSaturated(int tasks) {
    return tasks > 1_000 && servers.size() > Runtime.getRuntime().availableProcessors();
  }

  private static boolean isSmall(int tasks) {
    return tasks <= 100;
  }

  /**
   * Tasks in batches, to one server after the other or all to the first: each is done once, and the
   * servers' shares of the steps differ from
   * an equal share by a fifth of it at most. Who gets less of the processors does less of the work,
   * so that one burst of three has to
   * be shared so evenly, and the others say what they were. When there are more servers than
   * processors, and more work than permits, the
   * shares are those of the processor time that each got: then every server has at least a third of
   * an equal share. A burst that a few claims
   * take (each takes up to {@code tasker.worker.batch-size} steps, 500) is shared by who wakes
   * first: then every server has at least half of one.
   */
  void shareABurst(String request, int tasks, int batch, boolean toAll) {
    double least = isSaturated(tasks) ? 1 / 3.0 : isSmall(tasks) ? 0.5 : 0.8;
    double most = isSaturated(tasks) ? 2
        : isSmall(tasks) ? servers.size() - (servers.size() - 1) * 0.5 : 1.2;
    List<List<Double>> bursts = new ArrayList<>();
    do {
      bursts.add(burst(request, tasks, batch, toAll));
      System.out.printf(Locale.ROOT,
          "%d tasks in batches of %d to %s of %d servers, shares of the steps: %s%n", tasks, batch,
          toAll ? "all" : "one", servers.size(), bursts.get(bursts.size() - 1));
    } while (!isShared(bursts.get(bursts.size() - 1), least, most) && bursts.size() < 3);
    assertThat(bursts).as("shares of the steps, an equal share being 1")
        .anyMatch(shares -> isShared(shares, least, most));
  }

  private boolean isShared(List<Double> shares, double least, double most) {
    return shares.size() == servers.size()
        && shares.stream().allMatch(share -> share >= least && share <= most);
  }

  /** @return what each server did of it, an equal share being 1 */
  private List<Double> burst(String request, int tasks, int batch, boolean toAll) {
    List<UUID> submitted = new ArrayList<>();
    List<CompletableFuture<Answer>> sent = new ArrayList<>();
    for (int from = 0, turn = 0; from < tasks; from += batch, turn++) {
      TaskerClient client = servers.get(toAll ? turn % servers.size() : 0).client();
      sent.add(client
          .sendLater(client.request("/v1/tasks:batch").header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(
                  Collections.nCopies(Math.min(batch, tasks - from), request).toString()))));
    }
    for (CompletableFuture<Answer> answer : sent) {
      answer.join().list("verdicts")
          .forEach(verdict -> submitted.add(UUID.fromString(verdict.getString("task_uuid"))));
    }

    assertThat(submitted).hasSize(tasks).doesNotHaveDuplicates();
    String own = "{" + String.join(",", submitted.stream().map(UUID::toString).toList()) + "}";
    // By wake-ups, which only tasks that can move have: to count thousands of tasks every 20 ms
    // would take a processor from the servers.
    TaskerClient.until("nothing can move", Duration.ofSeconds(180),
        () -> tasker.count("select count(*) from tasker.task_wakeups") == 0);
    assertThat(tasker.count(
        "select count(*) from tasker.tasks where task_uuid = any (?::uuid[]) and state = 'complete'",
        own))
        .isEqualTo(tasks);
    assertThat(tasker.sql("""
        select step_uuid, attempt from testing.effects where task_uuid = any (?::uuid[]) and effect = 'ran'
        group by step_uuid, attempt having count(*) > 1""", own)).as("attempts that ran twice")
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();

    List<Map<String, Object>> steps = tasker.sql("""
        select count(*) as steps from tasker.workflow_step_transitions
        where task_uuid = any (?::uuid[]) and to_state = 'in_progress' group by processor_uuid""",
        own);
    double equal = steps.stream().mapToLong(row -> (Long) row.get("steps")).sum()
        / (double) servers.size();
    return steps.stream().map(row -> (Long) row.get("steps") / equal).toList();
  }

  /** Every server gives the same answer, and at once the answer of the first one. */
  void sayTheSame() {
    for (int round = 0; round < 10; round++) {
      UUID task = servers.get(round % servers.size()).client().submit("family",
          "{\"round\": " + round + "}");
      tasker.awaitTerminalOrBlocked(task);
      Set<Object> documents = new HashSet<>();
      Set<Object> steps = new HashSet<>();
      for (TestServer server : servers) {
        Answer answer = server.client().get("/v1/tasks/" + task);
        assertThat(answer.text("state")).isEqualTo("complete");
        documents.add(answer.object());
        steps.add(server.client().get("/v1/tasks/" + task + "/workflow_steps").list("steps"));
      }
      assertThat(documents).hasSize(1);
      assertThat(steps).hasSize(1);
    }
  }

  /**
   * Several sessions finalise a task, while its servers do and afterwards: none gets an error, and
   * it ends once.
   */
  void finaliseTogether() throws Exception {
    for (int round = 0; round < 5; round++) {
      UUID task = servers.get(round % servers.size()).client().submit("work",
          "{\"round\": " + round + "}");
      int callers = 4;
      CyclicBarrier together = new CyclicBarrier(callers);
      List<CompletableFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        calls.add(CompletableFuture.supplyAsync(() -> finaliseUntilDone(task, together)));
      }
      int finalisedByCallers = calls.stream().mapToInt(CompletableFuture::join).sum();

      assertThat(finalisedByCallers).as("callers who ended it").isLessThanOrEqualTo(1);
      assertThat(tasker.count(
          "select count(*) from tasker.task_transitions where task_uuid = ? and to_state = 'complete'",
          task))
          .isEqualTo(1);
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    }
  }

  /** @return how often this caller was the one */
  private int finaliseUntilDone(UUID task, CyclicBarrier together) {
    try (Connection connection = tasker.connect()) {
      together.await();
      int won = 0;
      for (long end = System.nanoTime() + 30_000_000_000L; System.nanoTime() < end;) {
        Map<String, Object> answer = TaskerClient
            .sql(connection, "select * from tasker.finalize_task_completion(?)", task).get(0);
        won += (Boolean) answer.get("finalized") ? 1 : 0;
        if ((Boolean) answer.get("already")) {
          return won;
        }
      }
      throw new AssertionError("task " + task + " did not end");
    } catch (SQLException | InterruptedException | java.util.concurrent.BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
