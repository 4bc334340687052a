package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.handlers.OrderDesk;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An {@linkplain OrderDesk application} that submits tasks in its own JTA transactions, on two servers of which one is killed in the middle:
 * whatever became of a transaction, its order and its task are both there or neither is.
 *
 * <p>{@code ./mvnw verify -Pfaults}, with {@code -Dfaults.transactions=10000}; every third is rolled back.
 */
class BusinessTransactions {
  private static final int TRANSACTIONS = Integer.getInteger("faults.transactions", 10_000);
  private static final long SEED = Long.getLong("faults.seed", 1);
  private static final int BATCH = 50;
  private static final int CLIENTS = 4;
  private static final String SOURCE = "orders";

  /** What the clients were told, by number; where a server died in between there is nothing. */
  private final Map<Integer, String> told = new ConcurrentHashMap<>();
  private final AtomicInteger nextBatch = new AtomicInteger();

  @Test
  void there_is_a_task_for_every_commit_and_for_nothing_else() throws Exception {
    try (Cluster cluster = new Cluster(2)) {
      cluster.start();
      TaskerClient tasker = cluster.tasker();
      tasker.sql("create table testing.orders (order_uuid uuid primary key, source text, number int, task_uuid uuid)");
      ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
      for (int client = 0; client < CLIENTS; client++) {
        int first = client;
        clients.submit(() -> order(cluster, first));
      }
      clients.shutdown();
      Random random = new Random(SEED);
      int moment = TRANSACTIONS / 4 + random.nextInt(TRANSACTIONS / 2);
      int victim = random.nextInt(2);
      TaskerClient.until(moment + " transactions", Duration.ofMinutes(10), () -> told.size() >= moment);
      cluster.node(victim).kill();
      cluster.node(victim).restart();
      assertThat(clients.awaitTermination(15, TimeUnit.MINUTES)).as("all were made: " + told.size()).isTrue();

      long orders = tasker.count("select count(*) from testing.orders");
      long tasks = tasker.count("select count(*) from tasker.tasks where source_system = ?", SOURCE);
      long answered = told.values().stream().filter("committed"::equals).count();
      TaskerClient.until("every task is complete", Duration.ofMinutes(3),
          () -> tasker.count("select count(*) from tasker.tasks where source_system = ? and state <> 'complete'", SOURCE) == 0);
      System.out.printf(Locale.ROOT, "business transactions on %s: %d begun, %d told of (%d committed, %d rolled back, %d unknown), %d orders, %d tasks; server %d killed after %d%n",
          ServerKind.from(System.getProperties()).title(), nextBatch.get() * BATCH, told.size(), answered,
          told.values().stream().filter("rolled back"::equals).count(), told.values().stream().filter("unknown"::equals).count(), orders, tasks, victim + 1, moment);
      assertThat(tasks).as("tasks = commits").isEqualTo(orders);
      assertThat(tasker.sql("""
          select o.number, o.task_uuid as ordered, t.task_uuid as submitted
          from testing.orders o full join (select * from tasker.tasks where source_system = ?) t on t.task_uuid = o.task_uuid
          where o.task_uuid is null or t.task_uuid is null limit 3""", SOURCE)).as("an order without its task, or a task without its order").isEmpty();
      assertThat(tasker.sql("select number from testing.orders where number % 3 = 0 limit 3")).as("rolled back, and there").isEmpty();
      assertThat(tasker.sql("select p.number from unnest(?::int[]) p(number) where not exists (select from testing.orders o where o.number = p.number) limit 3",
          array(told.entrySet().stream().filter(entry -> entry.getValue().equals("committed")).map(Map.Entry::getKey)))).as("told committed, and not there").isEmpty();
      assertThat(told.size()).as("transactions whose end is known").isGreaterThanOrEqualTo(TRANSACTIONS);
      assertThat(told.values().stream().filter("rolled back"::equals).count()).isGreaterThan(TRANSACTIONS * 3L / 10);
      assertThat(tasker.sql("select * from tasker.check_history() where violations > 0")).isEmpty();
    }
  }

  /** Nothing is asked for twice: what a client was not told of stays unknown, and others are made instead. */
  private void order(Cluster cluster, int first) {
    for (int batch = first; told.size() < TRANSACTIONS; batch++) {
      int from = nextBatch.getAndIncrement() * BATCH;
      try {
        TaskerClient node = cluster.node(batch).client();
        Answer answer = node.send(node.request("/testing/orders?source=" + SOURCE + "&from=" + from + "&count=" + BATCH)
            .timeout(Duration.ofMinutes(2)).POST(HttpRequest.BodyPublishers.noBody()));
        if (answer.status() == 200) {
          answer.body().lines().map(line -> line.split(" ", 2)).forEach(words -> told.put(Integer.parseInt(words[0]), words[1]));
        } else {
          TaskerClient.pause(Duration.ofMillis(100));
        }
      } catch (RuntimeException nobodyThere) {
        TaskerClient.pause(Duration.ofMillis(100));
      }
    }
  }

  private static String array(Stream<?> values) {
    return values.map(Object::toString).collect(java.util.stream.Collectors.joining(",", "{", "}"));
  }
}
