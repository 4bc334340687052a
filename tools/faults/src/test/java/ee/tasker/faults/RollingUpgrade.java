package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Reports;
import ee.tasker.testing.server.TaskerClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Two servers that are upgraded one after the other, stay mixed, go back and are upgraded again,
 * while tasks of every kind are submitted, wait, and are recovered from servers that are killed: no
 * task is lost, doubled or stuck by any of it, and no call waits for a lock for long.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=RollingUpgrade}. The older version is {@link LastRelease},
 * or this one before the first release; the newer one is made of this one ({@link NextVersion}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RollingUpgrade {
  private static final long SEED = Long.getLong("faults.seed", LocalDate.now().toEpochDay());
  private static final int TASKS = Integer.getInteger("faults.tasks", 60);
  /** Beyond the half second after which each statement of an upgrade gives up. */
  private static final Duration LONGEST_LOCK = Duration
      .ofMillis(Long.getLong("upgrade.lock-ms", 1_000));

  private final Random random = new Random(SEED);
  private final List<String> table = new ArrayList<>();
  private Cluster cluster;
  private Path older;
  private Path newer;

  /** What happens while tasks are submitted. */
  private interface Change {
    void happen() throws Exception;
  }

  @BeforeAll
  void start() throws Exception {
    System.out.println("rolling upgrade: -Dfaults.seed=" + SEED);
    older = LastRelease.war().orElse(null);
    newer = NextVersion.war();
    cluster = new Cluster(2);
    for (Node node : cluster.nodes()) {
      node.deploy(older);
    }
    cluster.start();
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void two_versions_work_beside_each_other_and_back_again() throws Exception {
    phase("the first is upgraded", () -> upgrade(0));
    assertThat(cluster.tasker().count("select count(*) from tasker.installations"))
        .as("versions that were installed").isEqualTo(2);
    phase("mixed; each is killed", () -> {
      killAndRestart(0);
      killAndRestart(1);
    });
    assertThat(cluster.node(1).log()).as("the old one says that the database is newer")
        .contains("TK1014").doesNotContain("TK1015");
    phase("the second is upgraded", () -> upgrade(1));
    phase("both go back", () -> {
      goBack(0);
      goBack(1);
    });
    phase("both are old beside a newer database; one is killed", () -> killAndRestart(1));
    phase("both are upgraded again", () -> {
      upgrade(1);
      upgrade(0);
    });

    expectWhatTheNewVersionBrought();
    expectSound();
  }

  private void upgrade(int node) {
    cluster.node(node).replaceWith(newer);
    expectBothAtWork();
  }

  private void goBack(int node) {
    cluster.node(node).replaceWith(older);
    expectBothAtWork();
  }

  private void killAndRestart(int node) {
    cluster.node(node).kill();
    cluster.node(node).restart();
    expectBothAtWork();
  }

  /** While tasks are submitted, steps of both servers complete. */
  private void expectBothAtWork() {
    TaskerClient tasker = cluster.tasker();
    Object from = tasker.value("select clock_timestamp()");
    TaskerClient.until("both servers complete steps", Duration.ofMinutes(2),
        () -> tasker.count("""
            select count(distinct processor_uuid) from tasker.workflow_step_transitions
            where created_at > ? and actor = 'worker' and from_state = 'in_progress'""",
            from) == 2);
  }

  private void phase(String name, Change change) throws Exception {
    Instant begin = Instant.now().minusMillis(1);
    Load load = new Load(cluster, name, new Random(random.nextLong()));
    CompletableFuture<Void> submitting = load.begin(TASKS);
    Verdict verdict;
    Duration lock;
    Duration took;
    try (LockWatch locks = new LockWatch(cluster.url())) {
      long changed = System.nanoTime();
      try {
        change.happen();
      } finally {
        load.struck();
      }
      took = Duration.ofNanos(System.nanoTime() - changed);
      submitting.get(6, TimeUnit.MINUTES);
      verdict = Verdict.of(cluster.tasker(), load, begin, begin, Duration.ofMinutes(3), false);
      lock = locks.longest();
    }
    String row = String.format(Locale.ROOT, "| %s | %.1f s | %d | %d | %d | %d | %d ms | %s |",
        name,
        took.toMillis() / 1000.0, verdict.tasks(), verdict.steps(), verdict.rerun(),
        verdict.resubmissions(), lock.toMillis(), load.answers());
    table.add(row);
    System.out.println(row);
    assertThat(verdict.violations()).as(name + ", -Dfaults.seed=" + SEED).isEmpty();
    assertThat(lock).as("the longest wait for a lock of a table while " + name)
        .isLessThan(LONGEST_LOCK);
  }

  private void expectWhatTheNewVersionBrought() {
    TaskerClient tasker = cluster.tasker();
    assertThat(tasker.value("select version from tasker.installations order by installation desc "
        + "limit 1")).isEqualTo(NextVersion.VERSION);
    assertThat(tasker.count("select count(*) from tasker.next_notes"))
        .as("tasks that the backfill has met").isPositive();
    assertThat(tasker.sql("select indexrelid::regclass from pg_index where not indisvalid"))
        .isEmpty();
    Set<Object> functions = new HashSet<>();
    tasker.sql("""
        select p.proname || '/' || p.pronargs as name from pg_proc p
        where p.proname in ('claim_steps', 'claim_steps_next', 'may_be_retried',
                            'may_be_tried_again', 'get_retry_delay')""")
        .forEach(row -> functions.add(row.get("name")));
    assertThat(functions).isEqualTo(
        Set.of("claim_steps/5", "claim_steps_next/6", "may_be_tried_again/1", "get_retry_delay/2"));
  }

  private void expectSound() throws Exception {
    String report = """
        | Phase | Change | Tasks | Steps | Run again | Submitted again | Longest wait for a lock | Answers |
        |---|---|---|---|---|---|---|---|
        """ + String.join("\n", table) + "\n";
    System.out.println(report);
    Reports.write("rolling-upgrade.md", report);
    System.out.println(cluster.expectSound());
  }
}
