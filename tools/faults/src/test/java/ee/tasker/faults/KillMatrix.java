package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Reports;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Two servers, a durable PostgreSQL, and one fault after another while tasks are submitted. After
 * each fault no task is
 * lost, duplicated or stuck, no step was completed twice, and every promise of docs/guarantees.md is
 * kept.
 *
 * <p>{@code ./mvnw verify -Pfaults} runs for {@code -Dfaults.minutes=2}, or with {@code
 * -Dfaults.steps=100000} or {@code -Dfaults.moves=1000000} until that
 * many steps have run, or moves were replayed against those of the models. {@code -Dfaults.seed}, by default the day's number, determines the order,
 * the victims and the
 * moments; {@code -Dfaults.only=KILL_.*} selects faults by name. The scheduling of threads between
 * two points is not
 * controlled: a seed repeats the faults, not every interleaving.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KillMatrix {
  private static final long SEED = Long.getLong("faults.seed", LocalDate.now().toEpochDay());
  private static final long STEPS = Long.getLong("faults.steps", 0);
  private static final long MOVES = Long.getLong("faults.moves", 0);
  private static final double MINUTES = Double
      .parseDouble(System.getProperty("faults.minutes", STEPS + MOVES > 0 ? "100000" : "2"));
  private static final int TASKS = Integer.getInteger("faults.tasks", 100);
  private static final String ONLY = System.getProperty("faults.only", ".*");

  private final MatrixReport report = new MatrixReport();
  private Cluster cluster;

  @BeforeAll
  void makeDatabase() throws Exception {
    System.out.println("kill matrix: -Dfaults.seed=" + SEED);
    cluster = new Cluster(2);
  }

  @AfterAll
  void stop() throws IOException {
    try {
      System.out.println(report.markdown());
      Reports.write("faults-" + SEED + ".md",
          "seed " + SEED + ", " + Instant.now() + "\n\n" + report.markdown());
    } finally {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void server_that_is_killed_in_the_middle_of_the_migration_leaves_a_database_that_others_can_migrate()
      throws Exception {
    MigrationPoint point = new MigrationPoint(cluster, new Random(SEED));
    cluster.node(0).start();
    point.awaitStopped(Duration.ofSeconds(90));
    cluster.node(0).kill();
    point.letGo();

    cluster.start();

    assertThat(cluster.tasker()
        .count("select count(*) from tasker.flyway_schema_history where not success")).isZero();
    assertThat(cluster.tasker().count("select count(*) from tasker.flyway_schema_history"))
        .isGreaterThan(15);
    assertThat(cluster.tasker().count("select count(*) from tasker.installed_routines"))
        .isGreaterThan(500);
  }

  @TestFactory
  @Order(2)
  Stream<DynamicTest> no_promise_is_broken() {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rounds(), 0), false);
  }

  /**
   * All selected faults in an order given by the seed, repeated in other orders until the limit is
   * reached.
   */
  private Iterator<DynamicTest> rounds() {
    List<Fault> chosen = Stream.of(Fault.values()).filter(fault -> fault.name().matches(ONLY))
        .toList();
    assertThat(chosen).as("faults.only=" + ONLY).isNotEmpty();
    Random random = new Random(SEED);
    List<Fault> order = new ArrayList<>();
    long begin = System.nanoTime();
    return new Iterator<>() {
      private int round;

      @Override
      public boolean hasNext() {
        return round == 0 || (System.nanoTime() - begin) / 60e9 < MINUTES
            && (STEPS == 0 || report.steps() < STEPS)
            && (MOVES == 0 || report.moves() < MOVES);
      }

      @Override
      public DynamicTest next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        if (order.isEmpty()) {
          order.addAll(chosen);
          Collections.shuffle(order, random);
        }
        Fault fault = order.remove(order.size() - 1);
        int number = ++round;
        long seed = random.nextLong();
        return DynamicTest.dynamicTest(number + " " + fault.sentence(),
            () -> round(number, fault, new Random(seed)));
      }
    };
  }

  private void round(int number, Fault fault, Random random) throws Exception {
    Instant start = Instant.now().minusMillis(1);
    Load load = new Load(cluster, "round " + number, new Random(random.nextLong()));
    Strike strike = new Strike(cluster, random, load);
    CompletableFuture<Void> submitting = load.begin(TASKS);
    Verdict verdict;
    try {
      fault.strike(strike);
      load.struck();
      submitting.get(3, TimeUnit.MINUTES);
      verdict = Verdict.of(cluster.tasker(), load, start, strike.at(), Duration.ofSeconds(90),
          fault.cancels());
    } catch (Exception | AssertionError broken) {
      load.struck();
      report.addFailed(fault);
      throw broken;
    }
    report.add(fault, verdict);
    System.out.printf(
        "round %d %s: %d tasks, %d steps, %d moves of the models, %d run again, %d submitted again, recovered in %.1f s, %d s in all, answers %s%s%n",
        number, fault, verdict.tasks(), verdict.steps(), verdict.moves(), verdict.rerun(),
        verdict.resubmissions(),
        verdict.slowest().toMillis() / 1000.0, Duration.between(start, Instant.now()).toSeconds(),
        load.answers(),
        verdict.violations().isEmpty() ? "" : " VIOLATIONS " + verdict.violations());
    assertThat(verdict.violations())
        .as(fault.sentence() + ", -Dfaults.seed=" + SEED + ", round " + number).isEmpty();
  }

  @Test
  @Order(3)
  void at_the_end_every_queue_is_empty_and_the_whole_history_is_sound() {
    TaskerClient tasker = cluster.tasker();
    tasker.sql(
        "update tasker.schedules set ends_at = greatest(next_fire_at, clock_timestamp()), version = version + 1");
    TaskerClient.until("the schedule has caught up", Duration.ofSeconds(60),
        () -> tasker.count("select count(*) from tasker.schedules where wake_at is not null") == 0);
    TaskerClient.until("its tasks have ended", Duration.ofSeconds(60), () -> tasker.count(
        "select count(*) from tasker.schedule_fires f join tasker.tasks t using (task_uuid) where t.state <> 'complete'") == 0);
    assertThat(tasker.sql(
        """
        select s.at from tasker.schedules c, generate_series(c.anchor_at, c.ends_at - interval '1 second', '1 second') s(at)
        left join tasker.schedule_fires f on f.fire_at = s.at and f.outcome = 'started' where f.fire_at is null limit 5"""))
        .as("fire times of a schedule that fires every second and have no task").isEmpty();
    assertThat(
        tasker.count("select count(*) from tasker.tasks where initiator = 'schedule:every second'"))
        .as("one task for each fire time")
        .isEqualTo(
            tasker.count("select count(*) from tasker.schedule_fires where outcome = 'started'"));
    TaskerClient.until("no message is left", Duration.ofSeconds(60),
        () -> History.messages(tasker).isEmpty());

    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.replayed()).as("those of the rounds are part of them")
        .isGreaterThanOrEqualTo(report.moves());
    assertThat(moves.unknown()).isEmpty();
  }
}
