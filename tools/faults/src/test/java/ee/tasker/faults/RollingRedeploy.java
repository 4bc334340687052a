package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Two servers under a steady load, and each in turn gets a new WAR, again and again: every request
 * takes effect once, and no step
 * loses an attempt by it. The load is not taken off a server beforehand; clients whose request is
 * not answered ask the other one.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=RollingRedeploy -Dredeploy.rate=200
 * -Dredeploy.rounds=3}, with {@code -P<server>} on
 * another.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RollingRedeploy {
  private static final double RATE = Double.parseDouble(System.getProperty("redeploy.rate", "40"));
  private static final int ROUNDS = Integer.getInteger("redeploy.rounds", 1);
  /** How long the two run different versions before the second follows. */
  private static final Duration BETWEEN = Duration
      .ofSeconds(Integer.getInteger("redeploy.between-seconds", 3));

  /** Running work ends within a moment, but on a busy machine a moment is long. */
  private final Pair pair = new Pair(Map.of("TASKER_WORKER_DRAIN_SECONDS", "25"));
  private final List<Path> wars = new ArrayList<>();
  private final List<String> mixed = new ArrayList<>();
  private boolean inTheRunningServer;

  @BeforeAll
  void start() {
    for (int version = 1; version <= ROUNDS + 1; version++) {
      String text = "1.0." + version;
      wars.add(TestServer.warWith("tasker-ee-" + text + ".war", war -> war
          .add(new StringAsset("Manifest-Version: 1.0\nImplementation-Version: " + text + "\n"),
              "META-INF/MANIFEST.MF")
          .add(new StringAsset(text), "version.txt")));
    }
    pair.start(wars.get(0));
    pair.client(0).register("/testing/rolling.yaml");
  }

  @AfterAll
  void stop() {
    pair.close();
  }

  @Test
  void nothing_is_lost_or_done_twice_and_no_attempt_is_spent() throws Exception {
    SteadyLoad load = new SteadyLoad(IntStream.range(0, pair.size()).mapToObj(pair::base).toList(),
        RATE, Submissions::line, RollingRedeploy::isAccepted);
    load.begin(Integer.MAX_VALUE);
    for (int round = 1; round <= ROUNDS; round++) {
      for (int server = 0; server < pair.size(); server++) {
        TaskerClient.pause(BETWEEN);
        roll(server, round);
        if (server == 0) {
          awaitBothAtWork();
        }
      }
    }
    TaskerClient.pause(BETWEEN);
    load.stop();
    TaskerClient tasker = pair.tasker();
    TaskerClient.until("every task is terminal or blocked", Duration.ofMinutes(5),
        () -> tasker.count("select count(*) from tasker.tasks where completed_at is null") == 0);
    TaskerClient.until("no message is left", Duration.ofSeconds(60),
        () -> History.messages(tasker).isEmpty());

    report(load);
    assertThat(load.refusals()).as("no client gets an internal error")
        .doesNotContainKey("500 internal-error");
    assertThat(tasker.sql("select state, count(*) from tasker.tasks group by 1"))
        .as("every task is complete, and there is one for each request")
        .isEqualTo(List.of(Map.of("state", "complete", "count", (long) load.begun())));
    assertThat(tasker
        .count("select count(distinct (context ->> 'number')::int) from tasker.task_contexts"))
        .isEqualTo(load.begun());
    assertThat(tasker.sql("""
        with steps as materialized (
          select s.workflow_step_uuid, count(e.*) as runs from tasker.workflow_steps s left join testing.effects e on e.step_uuid = s.workflow_step_uuid group by 1)
        select * from steps where runs <> 1 limit 5""")).as("every step ran once").isEmpty();
    assertThat(tasker.count("select count(*) from tasker.workflow_steps where attempts <> 1"))
        .as("steps that lost an attempt, as those do that are interrupted or left to their lease")
        .isZero();
    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
    assertThat(mixed).as("rounds in which an old and a new WAR were at work at the same time")
        .hasSize(ROUNDS);
  }

  private void roll(int server, int round) {
    String version = "1.0." + (round + 1);
    long begin = System.nanoTime();
    inTheRunningServer = pair.redeploy(server, wars.get(round));
    TaskerClient.until("server " + server + " has version " + version, Duration.ofSeconds(120),
        () -> version.equals(versionOf(server)));
    pair.awaitReady(server);
    System.out.printf(Locale.ROOT, "round %d: server %d has %s after %.1f s%n", round, server,
        version, (System.nanoTime() - begin) / 1e9);
  }

  /** The two run different versions, and both run steps. */
  private void awaitBothAtWork() {
    String versions = versionOf(0) + " and " + versionOf(1);
    assertThat(versionOf(0)).isNotEqualTo(versionOf(1));
    TaskerClient tasker = pair.tasker();
    Object from = tasker.value("select clock_timestamp()");
    TaskerClient.until("both of " + versions + " complete steps", Duration.ofSeconds(30),
        () -> tasker.count("""
        select count(distinct processor_uuid) from tasker.workflow_step_transitions
        where created_at > ? and actor = 'worker' and from_state = 'in_progress'""", from) == 2);
    mixed.add(versions);
  }

  private String versionOf(int server) {
    try {
      return pair.client(server).get("/version.txt").body().strip();
    } catch (RuntimeException notReachable) {
      return "";
    }
  }

  private static boolean isAccepted(int number, HttpResponse<String> answer) {
    return answer.statusCode() == 201;
  }

  private Duration slowest() {
    return milliseconds("select max(completed_at - created_at) from tasker.tasks");
  }

  private Duration milliseconds(String interval) {
    return Duration.ofMillis(pair.tasker()
        .count("select coalesce(extract(epoch from (" + interval + ")) * 1000, 0)::bigint"));
  }

  private void report(SteadyLoad load) throws Exception {
    TaskerClient tasker = pair.tasker();
    Duration pause = milliseconds(
        "select max(pause) from (select completed_at - lag(completed_at) over (order by completed_at) as pause from tasker.tasks) p");
    String line = String.format(Locale.ROOT,
        "| %s | %s | %.0f of %.0f | %d | %d | %d | %d | %.1f s | %.1f s | %.1f s | %s |",
        ServerKind.from(System.getProperties()).title(),
        inTheRunningServer ? "in the running server" : "stop and start", load.achievedRate(), RATE,
        ROUNDS * pair.size(), load.begun(),
        tasker.count("select count(distinct task_uuid) from tasker.tasks where state = 'complete'"),
        load.sentAgain(), seconds(pause), seconds(load.longestWait()), seconds(slowest()),
        load.refusals());
    String table = """
        | Server | Redeployed | Tasks/s | Redeploys | Submitted | Completed | Sent again | Longest pause between completions | Longest wait of a submission | Slowest task | Refusals |
        |---|---|---|---|---|---|---|---|---|---|---|
        """ + line + "\n";
    System.out.println(table + "when, in seconds: " + load.moments());
    Reports.write("redeploy.md",
        table);
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
