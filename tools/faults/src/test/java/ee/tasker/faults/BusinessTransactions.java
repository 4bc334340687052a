package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * An application that embeds the product ({@link ee.tasker.testing.desk}), on two servers: each
 * business transaction writes an order and
 * submits a task and sends it a signal that one of its steps waits for. A third of them is rolled
 * back in one of three ways, and servers are killed at random; then there is a task
 * for every order that was committed, and for nothing else.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=BusinessTransactions -Dtransactions=10000
 * -Dtransactions.kills=3}, with {@code -P<server>} on
 * another.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BusinessTransactions {
  private static final long SEED = Long.getLong("faults.seed", LocalDate.now().toEpochDay());
  private static final int TRANSACTIONS = Integer.getInteger("transactions", 600);
  private static final int KILLS = Integer.getInteger("transactions.kills", 1);
  private static final double RATE = Double
      .parseDouble(System.getProperty("transactions.rate", "100"));
  /** The number of transactions that may still begin before the kill. */
  private static final int UNDER_WAY = 200;
  private static final List<String> ROLLBACKS = List.of("exception", "rollback-only",
      "refused-commit");

  /** Killed servers are detected, and their leases expire, within seconds. */
  private final Pair pair = new Pair(
      Map.of("TASKER_WORKER_LEASE_SECONDS", "5", "TASKER_WORKER_HEARTBEAT_SECONDS", "1"));
  private final Random random = new Random(SEED);
  /** How the transaction of each number ends. */
  private final List<String> ways = random.ints(TRANSACTIONS, 0, 9)
      .mapToObj(die -> die < ROLLBACKS.size() ? ROLLBACKS.get(die) : "commit")
      .toList();
  private Path war;

  @BeforeAll
  void start() {
    war = TestServer.warWith("order-desk.war",
        desk -> desk.addPackages(true, "ee.tasker.testing.desk"));
    pair.tasker().sql("""
        create table testing.customers (customer int primary key);
        insert into testing.customers values (1);
        create table testing.orders (
          number int primary key, customer int not null references testing.customers deferrable initially deferred,
          task_uuid uuid, delivered int not null default 0)""");
    pair.start(war);
    pair.client(0).register("/testing/desk.yaml");
  }

  @AfterAll
  void stop() {
    pair.close();
  }

  @Test
  void there_is_a_task_for_every_committed_order_and_for_nothing_else() throws Exception {
    SteadyLoad load = new SteadyLoad(IntStream.range(0, pair.size()).mapToObj(pair::base).toList(),
        RATE, this::order, this::isAnswer);
    List<Integer> kills = IntStream.range(0, KILLS)
        .map(kill -> (int) ((kill + 0.2 + random.nextDouble() / 2) * TRANSACTIONS / KILLS))
        .boxed().toList();
    load.begin(TRANSACTIONS);
    for (int kill = 0; kill < KILLS; kill++) {
      int at = kills.get(kill);
      load.allow(at + UNDER_WAY);
      TaskerClient.until(at + " transactions have begun", Duration.ofMinutes(10),
          () -> load.begun() >= at);
      int victim = random.nextInt(pair.size());
      pair.kill(victim);
      System.out.println(
          "kill -9 of server " + victim + " after " + load.begun() + " transactions, "
              + load.answers().size() + " of them answered");
      // The other server continues; the next kill waits until there are two again.
      load.allow(kill + 1 < KILLS ? kills.get(kill + 1) : TRANSACTIONS);
      pair.start(victim, war);
    }
    load.awaitEnd();
    TaskerClient tasker = pair.tasker();
    TaskerClient.until("every task is terminal or blocked", Duration.ofMinutes(5),
        () -> tasker.count("select count(*) from tasker.tasks where completed_at is null") == 0);
    TaskerClient.until("no message is left", Duration.ofSeconds(60),
        () -> History.messages(tasker).isEmpty());

    report(load);
    Integer[] committed = IntStream.range(0, TRANSACTIONS)
        .filter(number -> "commit".equals(ways.get(number))).boxed()
        .toArray(Integer[]::new);
    assertThat(tasker.sql("select number from testing.orders order by 1").stream()
        .map(row -> row.get("number")))
        .as("orders are those whose transactions were to commit")
        .containsExactly((Object[]) committed);
    assertThat(tasker.sql("""
        select o.number, o.task_uuid, t.task_uuid as submitted from testing.orders o
        full join (tasker.tasks t join tasker.task_contexts c using (task_uuid)) on o.number = (c.context ->> 'number')::int
        where o.task_uuid is distinct from t.task_uuid limit 5"""))
        .as("orders without their task, and tasks without their order")
        .isEmpty();
    assertThat(tasker.count("select count(*) from tasker.tasks")).as("tasks")
        .isEqualTo(committed.length);
    assertThat(
        tasker.sql("select number, delivered from testing.orders where delivered <> 1 limit 5"))
        .as("orders that were not delivered exactly once").isEmpty();
    assertThat(
        tasker.sql("select state, count(*) from tasker.tasks where state <> 'complete' group by 1"))
        .isEmpty();
    assertThat(
        tasker.count("select count(*) from tasker.task_signals where consumed_at is not null"))
        .as("signals, each consumed once")
        .isEqualTo(committed.length);
    assertThat(tasker.count("select count(*) from tasker.queued_signals"))
        .as("signals that no server has delivered").isZero();
    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }

  private HttpRequest.Builder order(int number, URI server) {
    return HttpRequest
        .newBuilder(server.resolve("/desk?number=" + number + "&way=" + ways.get(number)))
        .POST(HttpRequest.BodyPublishers.noBody());
  }

  /**
   * What was to be committed is polled for until it exists; what was to be rolled back must never
   * exist.
   */
  private boolean isAnswer(int number, HttpResponse<String> answer) {
    return answer.statusCode() == ("commit".equals(ways.get(number)) ? 200 : 409);
  }

  private void report(SteadyLoad load) throws Exception {
    TaskerClient tasker = pair.tasker();
    String table = String.format(Locale.ROOT, """
        | Server | Transactions | Rolled back | Committed orders | Tasks | Tasks completed | Kills | Sent again | Longest wait | Refusals |
        |---|---|---|---|---|---|---|---|---|---|
        | %s | %d | %d | %d | %d | %d | %d | %d | %.1f s | %s |
        """, ServerKind.from(System.getProperties()).title(), TRANSACTIONS,
        ways.stream().filter(ROLLBACKS::contains).count(),
        tasker.count("select count(*) from testing.orders"),
        tasker.count("select count(*) from tasker.tasks"),
        tasker.count("select count(*) from tasker.tasks where state = 'complete'"), KILLS,
        load.sentAgain(), load.longestWait().toMillis() / 1000.0, load.refusals());
    System.out.println("seed " + SEED + "\n" + table + "when, in seconds: " + load.moments());
    Reports.write("transactions.md",
        table);
  }
}
