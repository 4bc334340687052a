package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import ee.tasker.worker.SellingShop.Order;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What {@link ChargesOnceIT} plays one after the other, all at once and for as long as {@code
 * charges.seconds} says, ten minutes for instance: orders arrive at a steady rate, answers of the
 * provider are lost by chance, the application, the engine or both are killed every 20 to 40
 * seconds, or as soon as both are up again, while charges wait for their answers, an operator
 * resets what failed, and the database is restored. Callers order again, each with his key, what
 * was acknowledged after the backup.
 */
@Tag("long")
class ChargesUnderKillsIT {
  private static final int SECONDS = Integer.getInteger("charges.seconds", 60);
  private static final long SEED = Long.getLong("charges.seed", System.nanoTime() % 1_000_000);
  /** Orders per second. */
  private static final int RATE = Integer.getInteger("charges.rate", 4);
  private static final double LOST_ANSWERS = 0.4;
  private static final int ROUNDS_FROM_BACKUP_TO_BACKUP = 3;
  /** For servers to start on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Random chance = new Random(SEED);
  private int kills;
  private int restores;
  private int resets;
  private int repeated;

  /** Callers who order at a steady rate, and remember in which order they were acknowledged. */
  private static final class Callers {
    private final SellingShop shop;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final SortedMap<Integer, Order> acknowledged = new TreeMap<>();
    private final List<CompletableFuture<Void>> all;

    Callers(SellingShop shop) {
      this.shop = shop;
      all = IntStream.range(0, RATE).mapToObj(caller -> CompletableFuture
          .runAsync(() -> order(caller), task -> new Thread(task, "caller").start())).toList();
    }

    /** At most one in a second: none for the time that it took to have one acknowledged. */
    private void order(int caller) {
      for (int number = 1; !isOver.get(); number++) {
        long next = System.nanoTime() + 1_000_000_000;
        acknowledged(shop.order("caller-" + caller + "-order-" + number, PATIENCE));
        TaskerClient.pause(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      }
    }

    private synchronized void acknowledged(Order order) {
      acknowledged.put(acknowledged.size(), order);
    }

    synchronized int count() {
      return acknowledged.size();
    }

    synchronized List<Order> orders() {
      return List.copyOf(acknowledged.values());
    }

    /**
     * Orders again what was acknowledged since.
     *
     * @return how many were new to the restored database
     */
    int orderAgain(int since) {
      int lost = 0;
      for (int each = since; each < count(); each++) {
        Order before = orders().get(each);
        Order again = shop.order(before.name(), PATIENCE);
        synchronized (this) {
          acknowledged.put(each, again);
        }
        lost += again.task().equals(before.task()) ? 0 : 1;
      }
      return lost;
    }

    List<Order> end() throws Exception {
      isOver.set(true);
      for (CompletableFuture<Void> caller : all) {
        caller.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      return orders();
    }
  }

  @Test
  void there_are_as_many_charges_as_orders() throws Exception {
    System.out.printf(Locale.ROOT, "seed %d: -Dcharges.seed=%d%n", SEED, SEED);
    try (SellingShop shop = new SellingShop()) {
      shop.start();
      shop.provider.loseAnswers(new Random(SEED), LOST_ANSWERS);
      long began = System.nanoTime();
      Callers callers = new Callers(shop);
      int atBackup = 0;
      for (int round = 0; round < 2 || seconds(began) < SECONDS; round++) {
        long next = System.nanoTime() + Duration.ofSeconds(20 + chance.nextInt(21)).toNanos();
        shop.provider.hold();
        shop.awaitUnderWay(SellingShop.CAPACITY / 2);
        if (round % ROUNDS_FROM_BACKUP_TO_BACKUP == 0) {
          atBackup = callers.count();
          shop.backUp();
        }
        killAndStartAgain(shop);
        if (round % ROUNDS_FROM_BACKUP_TO_BACKUP == 1) {
          shop.restore();
          restores++;
          repeated += callers.orderAgain(atBackup);
        }
        failSome(shop);
        resetFailed(shop);
        TaskerClient.pause(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      }
      List<Order> orders = callers.end();
      TaskerClient.until("all are complete", PATIENCE, () -> {
        resetFailed(shop);
        return shop.tasker()
            .count("select count(*) from tasker.tasks where state <> 'complete'") == 0;
      });

      System.out.printf(Locale.ROOT, "%d orders in %.0f s, %d charges in %d requests; "
          + "%d kills, %d restores after which %d orders were placed again, %d resets; seed %d%n",
          orders.size(), seconds(began), shop.provider.charges(), shop.provider.requests(), kills,
          restores, repeated, resets, SEED);
      shop.assertEachIs(1, orders);
      assertThat(shop.provider.charges()).as("charges").isEqualTo(orders.size());
      assertThat(shop.tasker().sql("select count(*) as tasks, "
          + "count(distinct context ->> 'reference') as orders from tasker.task_contexts"))
          .containsExactly(Map.of("tasks", (long) orders.size(), "orders", (long) orders.size()));
      assertThat(repeated).as("orders that a restore forgot").isPositive();
    }
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  /** While charges are made and their answers are not there. */
  private void killAndStartAgain(SellingShop shop) {
    int which = 1 + chance.nextInt(3);
    boolean isEngine = (which & 1) != 0;
    boolean isApplication = (which & 2) != 0;
    shop.kill(isEngine, isApplication);
    kills += Integer.bitCount(which);
    shop.provider.goOn();
    if (isEngine) {
      shop.startEngine();
    }
    if (isApplication) {
      shop.startApplication();
    }
    shop.awaitReady();
  }

  /** Until the attempts of a charge are used up. */
  private static void failSome(SellingShop shop) {
    shop.provider.loseAnswers(true);
    TaskerClient.until("a charge has failed", PATIENCE, () -> failed(shop).stream()
        .anyMatch(step -> step.get("name").equals("charge")));
    shop.provider.loseAnswers(false);
  }

  /** With a dead letter each. */
  private static List<Map<String, Object>> failed(SellingShop shop) {
    return shop.tasker().sql("select task_uuid, n.name from tasker.workflow_steps s "
        + "join tasker.tasks t using (task_uuid) join tasker.named_steps n using (named_step_uuid) "
        + "where t.state = 'blocked_by_failures' and s.state = 'error'");
  }

  private void resetFailed(SellingShop shop) {
    for (Map<String, Object> failed : failed(shop)) {
      shop.reset((UUID) failed.get("task_uuid"), (String) failed.get("name"), "");
      resets++;
    }
  }
}
