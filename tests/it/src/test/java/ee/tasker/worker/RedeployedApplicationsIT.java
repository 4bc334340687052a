package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ShopServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Two applications on one server, each with the jar and with handlers that the other one lacks. One
 * of them is deployed again five times, while tasks of both arrive at a steady rate.
 */
@Tag("long")
@EnabledIf(value = "ee.tasker.testing.server.ServerFacts#deploysWhileRunning",
    disabledReason = "the server deploys at its start only")
class RedeployedApplicationsIT {
  private static final Map<String, String> SETTINGS = Map.of("TASKER_WORKER_HEARTBEAT_SECONDS",
      "1", "TASKER_WORKER_LEASE_SECONDS", "15", "TASKER_POLL_INTERVAL_SECONDS", "3");
  private static final int TIMES = 5;
  /** Tasks per second, half of each application's. */
  private static final int RATE = Integer.getInteger("redeployed.rate", 100);
  private static final int BATCHES_PER_SECOND = 5;

  /** What arrives at a steady rate, whether or not there is a worker for it. */
  private static final class Load {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final CompletableFuture<Long> submitted;
    private final long began = System.nanoTime();

    Load(TaskerClient tasker) {
      submitted = CompletableFuture.supplyAsync(() -> {
        long pairs = 0;
        for (long next = began; !isOver.get(); next += 1_000_000_000 / BATCHES_PER_SECOND) {
          TaskerClient.pause(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
          submit(tasker, "shop", "fulfil_order", "{'order_id': 1}");
          submit(tasker, "testing", "hello", "{'who': 'ann'}");
          pairs += RATE / BATCHES_PER_SECOND / 2;
        }
        return pairs;
      });
    }

    private static void submit(TaskerClient tasker, String namespace, String template,
        String context) {
      List<String> requests = Collections.nCopies(RATE / BATCHES_PER_SECOND / 2,
          TaskerClient.taskRequest(namespace, template, context));
      assertThat(tasker.post("/v1/tasks:batch", requests.toString()).status()).isBetween(200, 299);
    }

    /** @return how many tasks of each application were submitted */
    long end() throws Exception {
      isOver.set(true);
      long pairs = submitted.get(1, TimeUnit.MINUTES);
      double seconds = (System.nanoTime() - began) / 1e9;
      System.out.printf(Locale.ROOT, "%d tasks in %.0f s, %.0f/s of %d/s%n", 2 * pairs, seconds,
          2 * pairs / seconds, RATE);
      return pairs;
    }
  }

  @Test
  void nothing_is_lost_and_nothing_fails_for_want_of_a_handler() throws Exception {
    Map<String, String> ofEngine = new HashMap<>(SETTINGS);
    ofEngine.put("TASKER_ROLES", "api,orchestrator");
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer engine = TestServer.start(database, ofEngine)) {
      TaskerClient tasker = engine.client();
      tasker.register("/testing/templates.yaml");
      Path war = ShopServer.war(database, false);
      try (TestServer server = ShopServer.start(database, TestServer.freePort(), SETTINGS, war)) {
        ShopServer.awaiting(database, () -> {
          server.deployBeside("other", ShopServer.otherWar(database));
          return null;
        });
        assertThat(tasker.sql(
            """
            select count(*) as workers, count(distinct handlers @> '{shop.Ship}') as kinds,
                   count(*) filter (where handlers @> '{shop.Ship}' and handlers @> '{testing.Echo}') as of_both
            from tasker.servers join tasker.workers using (server_uuid) where roles = '{worker}'"""))
            .containsExactly(Map.of("workers", 2L, "kinds", 2L, "of_both", 0L));
        tasker.sql("insert into shop.customer_orders (article, quantity) values ('teapot', 1)");

        Load load = new Load(tasker);
        for (int time = 0; time < TIMES; time++) {
          awaitWork(tasker);
          ShopServer.awaiting(database, () -> server.redeploy(war));
        }
        awaitWork(tasker);
        long pairs = load.end();

        TaskerClient.until("all have ended", Duration.ofMinutes(3), () -> tasker
            .count("select count(*) from tasker.tasks where completed_at is null") == 0);
        assertThat(tasker.sql("select state::text, count(*) from tasker.tasks group by 1"))
            .containsExactly(Map.of("state", "complete", "count", 2 * pairs));
        assertThat(tasker.count("select count(*) from shop.shipments"))
            .as("each is shipped once").isEqualTo(pairs);
        assertThat(tasker.count("select count(*) from tasker.workflow_steps where attempts <> 1"))
            .as("steps that lost an attempt").isZero();
        assertThat(tasker.sql("select invariant, violations, examples "
            + "from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
            .isEmpty();
        assertThat(History.broken(tasker)).isEmpty();
      }
    }
  }

  /** Both applications complete tasks. */
  private static void awaitWork(TaskerClient tasker) {
    Object from = tasker.value("select clock_timestamp()");
    TaskerClient.until("both complete steps", Duration.ofMinutes(1), () -> tasker.count(
        "select count(distinct processor_uuid) from tasker.workflow_step_transitions "
            + "where created_at > ? and actor = 'worker' and from_state = 'in_progress'",
        from) == 2);
  }
}
