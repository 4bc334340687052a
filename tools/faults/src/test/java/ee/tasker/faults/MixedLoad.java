package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Minutes of mixed load: tasks of which a third block their handlers' threads, cancels, and
 * operators who retry failed
 * tasks, while every 20 seconds a server or the database is killed, and once in the middle the
 * primary permanently, so that
 * the standby replaces it.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=MixedLoad -Dmixed.minutes=10}; with {@code
 * -Dmixed.noise=true} another namespace makes all the {@link Noise} that it may. Continuous
 * integration does not run it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MixedLoad {
  private static final double MINUTES = Double
      .parseDouble(System.getProperty("mixed.minutes", "1.5"));
  private static final double RATE = Double.parseDouble(System.getProperty("mixed.rate", "10"));
  private static final Duration BETWEEN = Duration
      .ofSeconds(Integer.getInteger("mixed.between-seconds", 20));
  /** The limit of the median recovery time. To be raised on a machine with other load. */
  private static final double MOST_SECONDS = Double
      .parseDouble(System.getProperty("mixed.recovery-seconds", "10"));
  private static final boolean NOISE = Boolean.getBoolean("mixed.noise");
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  /** A third of them blocks. */
  private static final List<String> TEMPLATES = List.of("plain", "blocking", "cancelled", "plain",
      "blocking", "mended");

  /** A server that was killed: the time on the database's clock, and its identity. */
  private record Kill(Object at, UUID server) {
  }

  private final DatabasePair databases = new DatabasePair();
  private final Servers servers = new Servers(databases, "mixed", Map.of());
  private final Acknowledged acknowledged = new Acknowledged();
  private final List<Kill> kills = new ArrayList<>();
  /** How long no client received a promise after a kill of the database. */
  private final List<Double> pauses = new ArrayList<>();
  private final Set<UUID> cancelled = ConcurrentHashMap.newKeySet();
  private final Set<UUID> retried = ConcurrentHashMap.newKeySet();
  private final List<Integer> starting = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean over;
  private int failovers;

  @BeforeAll
  void start() {
    servers.start();
    servers.client(0).register("/testing/mixed.yaml");
  }

  @AfterAll
  void stop() {
    servers.close();
    databases.close();
  }

  @Test
  void nothing_is_lost_or_doubled_and_every_task_ends_as_it_should() throws Exception {
    SteadyLoad load = new SteadyLoad(servers.bases(), RATE, MixedLoad::submission,
        acknowledged::note).begin(Integer.MAX_VALUE);
    Noise noise = new Noise(servers.bases(), servers.client(0));
    if (NOISE) {
      noise.begin();
    }
    CompletableFuture<Void> cancelling = CompletableFuture.runAsync(this::cancelUntilOver);
    CompletableFuture<Void> mending = CompletableFuture.runAsync(this::mendUntilOver);
    int rounds = Math.max(3, (int) (MINUTES * 60 / BETWEEN.toSeconds()));
    long begin = System.nanoTime();
    for (int round = 1; round <= rounds; round++) {
      TaskerClient.pause(Duration
          .ofNanos(Math.max(0, begin + BETWEEN.multipliedBy(round).toNanos() - System.nanoTime())));
      if (round == (rounds + 1) / 2) {
        failOver();
      } else if (round % 3 == 0 || !allAtWork()) {
        killDatabase();
      } else {
        killServer(kills.size() % servers.size());
      }
    }
    TaskerClient.pause(BETWEEN);
    load.stop();
    awaitServers();
    noise.end();
    noise.close();
    TaskerClient tasker = databases.tasker();
    TaskerClient.until("every task is at its end", PATIENCE.multipliedBy(2), () -> tasker.count(
        """
        select count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid)
        join tasker.task_namespaces s using (task_namespace_uuid)
        where s.name = 'mixed' and t.state not in ('complete', 'cancelled', 'error')""") == 0);
    over = true;
    CompletableFuture.allOf(cancelling, mending).join();
    TaskerClient.until("no message is left", PATIENCE, () -> History.messages(tasker).isEmpty());

    List<Double> recoveries = recoveries(tasker);
    List<Map<String, Object>> lost = acknowledged.lost(tasker);
    List<Map<String, Object>> doubled = Acknowledged.doubled(tasker);
    List<Map<String, Object>> broken = tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0");
    report(load, noise, tasker, recoveries, lost.size(), doubled.size(), broken.size());
    assertThat(lost).isEmpty();
    assertThat(doubled).isEmpty();
    assertThat(tasker.count("""
        select count(*) from tasker.tasks join tasker.named_tasks using (named_task_uuid)
        join tasker.task_namespaces s using (task_namespace_uuid) where s.name = 'mixed'"""))
        .as("tasks: one for each request")
        .isEqualTo(acknowledged.count());
    assertThat(broken).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    assertThat(tasker.sql(
        """
        select n.name, t.state, count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid)
        join tasker.task_namespaces s using (task_namespace_uuid)
        where s.name = 'mixed' and t.state <> 'complete' and not (n.name = 'cancelled' and t.state = 'cancelled') group by 1, 2"""))
        .as("ends that they should not have").isEmpty();
    assertThat(cancelled).isNotEmpty();
    assertThat(retried).isNotEmpty();
    assertThat(load.refusals())
        .as("no server tells of an internal error, but %s; see target/faults-logs", load.faults())
        .doesNotContainKey("500 internal-error");
    assertThat(noise.answers().keySet()).noneMatch(answer -> answer.endsWith(" 500"));
    assertThat(recoveries).as("steps that were recovered").isNotEmpty();
    assertThat(median(recoveries)).as("median recovery in seconds")
        .isLessThanOrEqualTo(MOST_SECONDS);
  }

  // ---- what is killed

  /**
   * Whether every killed server is back. Where servers need longer than the time between two kills,
   * the database is killed
   * meanwhile.
   */
  private boolean allAtWork() {
    starting.removeIf(servers::isReady);
    return starting.isEmpty();
  }

  private void killServer(int server) {
    // The list of servers is unlogged: after a kill of the database it is empty until the next
    // heartbeats.
    awaitRegistered(server);
    Map<String, Object> victim = databases.tasker()
        .sql(
            """
        select server_uuid, clock_timestamp() as at from tasker.servers where name like ? order by registered_at desc limit 1""",
            "%:" + servers.pid(server))
        .get(0);
    kills.add(new Kill(victim.get("at"), (UUID) victim.get("server_uuid")));
    servers.kill(server);
    begin(server);
  }

  private void begin(int server) {
    servers.begin(server);
    starting.add(server);
  }

  private void awaitServers() {
    for (int server : List.copyOf(starting)) {
      servers.awaitReady(server);
      awaitRegistered(server);
    }
    starting.clear();
  }

  private void awaitRegistered(int server) {
    TaskerClient.until("the server is registered", PATIENCE,
        () -> databases.tasker().count("select count(*) from tasker.servers where name like ?",
            "%:" + servers.pid(server)) > 0);
  }

  private void killDatabase() {
    long at = System.nanoTime();
    databases.killPrimary();
    databases.restartPrimary();
    notePause(at);
  }

  private void failOver() {
    long at = System.nanoTime();
    databases.killPrimary();
    databases.promote();
    notePause(at);
    databases.rebuildStandby(true);
    failovers++;
  }

  private void notePause(long since) {
    long now = System.nanoTime();
    acknowledged.pauseAfter(now, PATIENCE);
    pauses.add(acknowledged.longestPause(since, now).toMillis() / 1000.0);
  }

  // ---- what people do

  private void cancelUntilOver() {
    while (!over) {
      acknowledged.tasks().forEach((number, task) -> {
        if ("cancelled".equals(template(number)) && !cancelled.contains(task) && !over) {
          ask(client -> client.request("/v1/tasks/" + task).DELETE(), task, cancelled);
        }
      });
      TaskerClient.pause(Duration.ofMillis(200));
    }
  }

  private void mendUntilOver() {
    while (!over) {
      try {
        for (Map<String, Object> blocked : databases.tasker().sql(
            """
            select t.task_uuid, c.context ->> 'number' as number from tasker.tasks t
            join tasker.task_contexts c using (task_uuid) join tasker.named_tasks n using (named_task_uuid)
            join tasker.task_namespaces s using (task_namespace_uuid)
            where s.name = 'mixed' and t.state = 'blocked_by_failures'""")) {
          String retry = TaskerClient.quoted(
              "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'mended', 'context': {'number': "
                  + blocked.get("number") + "}}");
          ask(client -> client.request("/v1/tasks/" + blocked.get("task_uuid"))
              .header("Content-Type", "application/json")
              .method("PATCH", HttpRequest.BodyPublishers.ofString(retry)),
              (UUID) blocked.get("task_uuid"), retried);
        }
      } catch (RuntimeException databaseIsAway) {
        // asked again below
      }
      TaskerClient.pause(Duration.ofMillis(500));
    }
  }

  private interface Request {
    HttpRequest.Builder to(TaskerClient client);
  }

  /**
   * A response that confirms, or that says it is too late, counts; otherwise the request is
   * repeated in the next round.
   */
  private void ask(Request request, UUID task, Set<UUID> done) {
    for (int server = 0; server < servers.size(); server++) {
      try {
        TaskerClient client = servers.client(server);
        Answer answer = client.send(request.to(client).timeout(Duration.ofSeconds(10)));
        if (answer.status() / 100 == 2 || answer.status() == 409) {
          done.add(task);
          return;
        }
      } catch (RuntimeException notThere) {
        // the other one
      }
    }
  }

  private static String template(int number) {
    return TEMPLATES.get(number % TEMPLATES.size());
  }

  private static HttpRequest.Builder submission(int number, URI server) {
    String context = "mended".equals(template(number))
        ? "{'number': " + number + ", 'way': 'permanent'}" : "{'number': " + number + "}";
    return Submissions.task(number, server,
        TaskerClient.taskRequest("mixed", template(number), context));
  }

  // ---- what came of it

  /**
   * For each step that a killed server held: how long after the kill another server took it over.
   */
  private List<Double> recoveries(TaskerClient tasker) {
    List<Double> seconds = new ArrayList<>();
    for (Kill kill : kills) {
      tasker.sql(
          """
          select extract(epoch from n.created_at - ?::timestamptz)::float8 as seconds
          from tasker.workflow_step_transitions h join tasker.workflow_step_transitions n on n.workflow_step_uuid = h.workflow_step_uuid and n.sort_key = h.sort_key + 1
          where h.to_state = 'in_progress' and h.processor_uuid = ? and h.created_at <= ?::timestamptz and n.created_at > ?::timestamptz and n.actor = 'recovery'""",
          kill.at(), kill.server(), kill.at(), kill.at())
          .forEach(row -> seconds.add((Double) row.get("seconds")));
    }
    Collections.sort(seconds);
    return seconds;
  }

  private static double median(List<Double> sorted) {
    return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
  }

  private static double most(List<Double> values) {
    return values.isEmpty() ? 0 : Collections.max(values);
  }

  private void report(SteadyLoad load, Noise noise, TaskerClient tasker, List<Double> recoveries,
      int lost, int doubled, int broken) throws Exception {
    Collections.sort(pauses);
    String table = String.format(Locale.ROOT, """
        | | |
        |---|---|
        | Server, minutes, requests per second | %s, %.1f, %.1f of %.0f |
        | kill -9 of servers, of the database, failovers | %d, %d, %d |
        | Requests acknowledged, lost, doubled | %d, %d, %d |
        | Tasks by template and end | %s |
        | Cancels and retries that were answered | %d, %d |
        | Recovery of a killed server's steps: steps, median, slowest | %d, %.1f s, %.1f s |
        | No acknowledgement after a kill of the database: median, longest | %.1f s, %.1f s |
        | Sent again, refusals | %d, %s |
        | Promises broken (check_history) | %d |
        | Load average of the machine at the end | %.1f on %d processors |
        """, ServerKind.from(System.getProperties()).title(), MINUTES, load.achievedRate(), RATE,
        kills.size(), pauses.size() - failovers, failovers, acknowledged.count(), lost, doubled,
        tasker.sql(
            "select n.name || ' ' || t.state || ' ' || count(*) as ends from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) group by n.name, t.state order by 1")
            .stream().map(row -> row.get("ends").toString()).toList(),
        cancelled.size(), retried.size(), recoveries.size(), median(recoveries), most(recoveries),
        median(pauses), most(pauses), load.sentAgain(), load.refusals(), broken,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
        Runtime.getRuntime().availableProcessors());
    System.out.println(table + "noise: " + noise.answers()
        + "\nrefusals by the second of the load: " + load.moments());
    Reports.write("mixed-load.md",
        table);
  }
}
