package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two servers get the WAR of the next release, one after the other, while tasks come in at a steady rate: first both are old, then an
 * old and a new one share the schema that the new one has brought up to date, then both are new.
 *
 * <p>{@code ./mvnw verify -Pfaults}, with {@code -Dfaults.rate=200} tasks per second.
 */
class RollingRedeploy {
  private static final int RATE = Integer.getInteger("faults.rate", 200);
  /** How long each of the three states lasts at least. */
  private static final Duration PHASE = Duration.ofSeconds(5);

  @Test
  void nothing_is_lost_or_doubled_while_two_servers_are_redeployed_under_load() throws Exception {
    Path next = TestServer.nextWar();
    try (Cluster cluster = new Cluster(2)) {
      cluster.start();
      TaskerClient tasker = cluster.tasker();
      Instant begin = Instant.now().minusMillis(1);
      Load load = new Load(cluster, "rolling", new Random(1));
      CompletableFuture<Void> submitting = load.steadily(RATE);
      StringBuilder told = new StringBuilder();
      try {
        TaskerClient.pause(PHASE);
        for (Node node : cluster.nodes()) {
          long start = System.nanoTime();
          String how = node.redeploy(next);
          told.append(String.format(Locale.ROOT, "; %s in %.1f s", how, (System.nanoTime() - start) / 1e9));
          assertThat(tasker.count("select count(*) from tasker.flyway_schema_history where version = '9000' and success")).isEqualTo(1);
          TaskerClient.pause(PHASE);
        }
      } finally {
        load.struck();
      }
      submitting.get(3, TimeUnit.MINUTES);
      Instant end = Instant.now();
      Verdict verdict = Verdict.of(tasker, load, begin, end, Duration.ofMinutes(3), false);

      long completed = tasker.count("select count(*) from tasker.tasks where source_system = ? and state = 'complete'", load.round());
      long gap = tasker.count("""
          select coalesce(ceil(max(extract(epoch from gap)) * 1000), 0)::bigint
          from (select completed_at - lag(completed_at) over (order by completed_at) as gap from tasker.tasks where source_system = ? and completed_at < ?::timestamptz) g""",
          load.round(), end.atOffset(ZoneOffset.UTC));
      System.out.printf(Locale.ROOT, "rolling redeploy on %s: %d tasks in %d s, %d completed, %d steps, %d run again, %d batches submitted again%s; longest wait of a submission %.1f s, longest time without a completed task %.1f s, answers %s%n",
          ServerKind.from(System.getProperties()).title(), load.accepted().size(), Duration.between(begin, end).toSeconds(), completed, verdict.steps(), verdict.rerun(), load.resubmissions(), told,
          load.longestWait().toMillis() / 1000.0, gap / 1000.0, load.answers());
      assertThat(verdict.violations()).isEmpty();
      assertThat(completed).isEqualTo(verdict.tasks());
      assertThat(completed - load.accepted().size()).as("tasks beyond those that the client was told of, of requests that are another task each time").isBetween(0L, (long) load.doubledByClient().size());
      assertThat(load.accepted().size()).as("the rate was kept").isGreaterThan((int) (RATE * 2 * PHASE.toSeconds()));
    }
  }
}
