package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Two servers on a primary and a standby under a steady load: the primary is killed and the standby
 * promoted, while {@linkplain ArmedWaits everything that waits} becomes
 * due, the old one comes back as a standby, the two switch over in an orderly way, and finally the
 * loss with an asynchronous standby is
 * measured.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=DatabaseFailover -Dfailover.rate=40}, with {@code
 * -P<server>} on another.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DatabaseFailover {
  private static final double RATE = Double.parseDouble(System.getProperty("failover.rate", "20"));
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final DatabasePair databases = new DatabasePair();
  private final Servers servers = new Servers(databases, "failover", Map.of());
  private final List<String> lines = new ArrayList<>();

  @BeforeAll
  void start() {
    servers.start();
    servers.client(0).register("/testing/rolling.yaml");
    servers.client(0).register("/testing/failover.yaml");
  }

  @AfterAll
  void stop() throws Exception {
    String table = """
        | Server | What happened | Acknowledged | Lost | Doubled | Pause | Of it after the promotion | Sent again | Refusals |
        |---|---|---|---|---|---|---|---|---|
        """ + String.join("\n", lines) + "\n";
    try {
      System.out.println(table);
      Reports.write("failover.md",
          table);
    } finally {
      servers.close();
      databases.close();
    }
  }

  @Test
  @Order(1)
  void nothing_acknowledged_is_lost_when_the_primary_is_killed_and_the_standby_promoted()
      throws Exception {
    Acknowledged acknowledged = underLoad("kill -9 of the primary, promotion", 0, () -> {
      ArmedWaits.arm(databases.tasker());
      databases.killPrimary();
    });

    assertThat(acknowledged.lost(databases.tasker())).isEmpty();
    ArmedWaits.assertEachEndedOnce(databases.tasker());
    assertSound();
  }

  @Test
  @Order(2)
  void listeners_stay_with_the_primary_when_the_old_one_is_back_as_a_standby_and_named_first() {
    databases.rebuildStandby(true);
    databases.tasker()
        .sql(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name in ('tasker-listener', 'tasker-ee')");

    TaskerClient.until("every server listens anew", PATIENCE,
        () -> databases.tasker().count(
            "select count(*) from pg_stat_activity where application_name = 'tasker-listener'") == servers
                .size());
    for (int server = 0; server < servers.size(); server++) {
      TaskerClient client = servers.client(server);
      TaskerClient.until("the server listens to the primary", PATIENCE,
          () -> "true".equals(data(client, "listener", "connected")));
      TaskerClient.until("the server is ready", PATIENCE,
          () -> client.get("/health/ready").status() == 200);
      assertThat(data(client, "database", "read_only")).isEqualTo("false");
    }
    assertThat(
        databases.standby().count(
            "select count(*) from pg_stat_activity where application_name in ('tasker-listener', 'tasker-ee')"))
        .isZero();
  }

  @Test
  @Order(3)
  void standby_answers_what_only_reads() {
    databases.awaitReplay();
    TaskerClient standby = databases.standby();

    assertThat(standby.value("select pg_is_in_recovery()")).isEqualTo(true);
    assertThat(standby.count("select count(*) from tasker.check_history()")).isGreaterThan(20);
    assertThat(standby.sql("select * from tasker.check_history() where violations > 0")).isEmpty();
    assertThat(standby.count("select count(*) from tasker.tasks"))
        .isEqualTo(databases.tasker().count("select count(*) from tasker.tasks"));
    assertThat(standby.jsonOf("select tasker.get_performance_document(1)")).isNotEmpty();
    assertThat(standby.sql("select * from tasker.get_slowest_steps()")).isNotEmpty();
    assertThat(standby.sql("select * from tasker.get_slowest_tasks()")).isNotEmpty();
    assertThat(standby.sql("select * from tasker.get_analytics_metrics()")).isNotEmpty();
  }

  @Test
  @Order(4)
  void nothing_is_lost_when_primary_and_standby_change_places_under_load() throws Exception {
    long before = databases.tasker().count("select count(*) from tasker.tasks");
    Acknowledged acknowledged = underLoad("orderly stop of the primary, promotion", 1_000_000,
        databases::stopPrimary);

    assertThat(acknowledged.lost(databases.tasker())).isEmpty();
    assertThat(databases.tasker().count("select count(*) from tasker.tasks"))
        .isEqualTo(before + acknowledged.count());
    databases.rebuildStandby(true);
    assertSound();
  }

  /**
   * An asynchronous standby that receives nothing for a moment: what was acknowledged meanwhile is
   * lost, and what remains
   * is consistent.
   */
  @Test
  @Order(5)
  void pair_that_does_not_wait_for_its_standby_loses_what_was_acknowledged_last_and_stays_sound()
      throws Exception {
    databases.waitForStandby(false);
    Acknowledged acknowledged = underLoad(
        "the same as in the first line, asynchronous, the standby 2 s behind", 2_000_000, () -> {
          stop(databases.sender());
          TaskerClient.pause(Duration.ofSeconds(2));
          databases.killPrimary();
        });

    assertThat(acknowledged.lost(databases.tasker()))
        .as("with nothing lost this would not show why commits have to wait for the standby")
        .isNotEmpty();
    assertSound();
  }

  private interface Blow {
    void fall() throws Exception;
  }

  /**
   * Half of the load, the fault, the promotion, and the other half; returns when all tasks are
   * terminal or blocked.
   */
  private Acknowledged underLoad(String what, int firstNumber, Blow blow) throws Exception {
    Acknowledged acknowledged = new Acknowledged();
    SteadyLoad load = new SteadyLoad(servers.bases(), RATE,
        (number, server) -> Submissions.line(firstNumber + number, server),
        (number, answer) -> acknowledged.note(firstNumber + number, answer));
    load.begin(Integer.MAX_VALUE);
    TaskerClient.until("the load is under way", PATIENCE, () -> acknowledged.count() >= RATE * 5);
    blow.fall();
    databases.promote();
    long promoted = System.nanoTime();
    Duration afterPromotion = acknowledged.pauseAfter(promoted, PATIENCE);
    Duration pause = acknowledged.pauseAround(promoted);
    int then = acknowledged.count();
    TaskerClient.until("the load goes on", PATIENCE, () -> acknowledged.count() >= then + RATE * 5);
    load.stop();
    TaskerClient tasker = databases.tasker();
    TaskerClient.until("every task is terminal or blocked", Duration.ofMinutes(3),
        () -> tasker.count("select count(*) from tasker.tasks where completed_at is null") == 0);
    TaskerClient.until("no message is left", Duration.ofSeconds(60),
        () -> History.messages(tasker).isEmpty());
    lines.add(String.format(Locale.ROOT, "| %s | %s | %d | %d | %d | %.2f s | %.2f s | %d | %s |",
        ServerKind.from(System.getProperties()).title(), what, acknowledged.count(),
        acknowledged.lost(tasker).size(), Acknowledged.doubled(tasker).size(), seconds(pause),
        seconds(afterPromotion), load.sentAgain(), load.refusals()));
    assertThat(load.refusals()).as("no server tells of an internal error")
        .doesNotContainKey("500 internal-error");
    return acknowledged;
  }

  private void assertSound() {
    TaskerClient tasker = databases.tasker();
    assertThat(Acknowledged.doubled(tasker)).isEmpty();
    assertThat(tasker
        .sql(
            "select state, count(*) from tasker.tasks where state <> 'complete' and coalesce(source_system, '') not in ('limited', 'unserved') group by 1"))
        .isEmpty();
    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }

  private static String data(TaskerClient client, String check, String member) {
    Answer answer = client.get("/health/ready");
    return answer.object().getJsonArray("checks").getValuesAs(JsonObject.class).stream()
        .filter(each -> check.equals(each.getString("name")))
        .map(each -> each.getJsonObject("data"))
        .filter(each -> each != null && each.containsKey(member))
        .map(each -> each.get(member).toString().replace("\"", "")).findFirst().orElse("");
  }

  private static void stop(ProcessHandle process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).inheritIO()
        .start();
    assertThat(kill.waitFor(10, TimeUnit.SECONDS) && kill.exitValue() == 0)
        .as("the signal was sent").isTrue();
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
