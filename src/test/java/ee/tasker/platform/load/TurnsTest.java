package ee.tasker.platform.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TurnsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** A turn on a thread of its own, which ends when it is told to. */
  private final class Taken {
    private final CompletableFuture<Void> granted = new CompletableFuture<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final CompletableFuture<Void> ended;

    Taken(Turns turns, String namespace) {
      ended = CompletableFuture.runAsync(() -> {
        try (Turns.Turn turn = turns.take(namespace, 0)) {
          granted.complete(null);
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        } catch (Problem busy) {
          granted.completeExceptionally(busy);
        }
      }, threads);
    }

    boolean isGranted() {
      return granted.isDone() && !granted.isCompletedExceptionally();
    }

    void end() throws Exception {
      end.countDown();
      ended.get(20, TimeUnit.SECONDS);
    }
  }

  private static void awaitWaiting(Turns turns, int number) {
    long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (turns.waitingCount() < number) {
      assertThat(System.nanoTime()).as("no " + number + " wait").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void a_namespace_has_one_turn_at_a_time_and_does_not_keep_another_from_its_own()
      throws Exception {
    Turns turns = new Turns(2, LONG, new Rests(System::nanoTime));
    Taken first = new Taken(turns, "noisy");
    first.granted.get(20, TimeUnit.SECONDS);
    Taken second = new Taken(turns, "noisy");
    awaitWaiting(turns, 1);

    Taken quiet = new Taken(turns, "quiet");
    quiet.granted.get(20, TimeUnit.SECONDS);

    assertThat(second.isGranted()).isFalse();
    first.end();
    second.granted.get(20, TimeUnit.SECONDS);
    second.end();
    quiet.end();
  }

  @Test
  void namespaces_that_wait_are_served_in_turns() throws Exception {
    Turns turns = new Turns(1, LONG, new Rests(System::nanoTime));
    Taken first = new Taken(turns, "noisy");
    first.granted.get(20, TimeUnit.SECONDS);
    List<Taken> waiting = new ArrayList<>();
    for (String namespace : List.of("noisy", "noisy", "noisy", "quiet")) {
      waiting.add(new Taken(turns, namespace));
      awaitWaiting(turns, waiting.size());
    }

    first.end();
    waiting.get(0).granted.get(20, TimeUnit.SECONDS);
    waiting.get(0).end();
    waiting.get(3).granted.get(20, TimeUnit.SECONDS);

    assertThat(waiting.get(1).isGranted()).isFalse();
    for (int i : List.of(3, 1, 2)) {
      waiting.get(i).granted.get(20, TimeUnit.SECONDS);
      waiting.get(i).end();
    }
  }

  @Test
  void the_surplus_of_a_namespace_is_refused_at_once_and_that_of_another_is_not() throws Exception {
    Turns turns = new Turns(2, LONG, new Rests(System::nanoTime));
    Taken first = new Taken(turns, "noisy");
    first.granted.get(20, TimeUnit.SECONDS);
    for (int i = 0; i < 4; i++) {
      new Taken(turns, "noisy");
    }
    awaitWaiting(turns, 4);

    long begin = System.nanoTime();
    assertThatThrownBy(() -> turns.take("noisy", 0)).isInstanceOfSatisfying(Problem.class,
        problem -> {
          assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LONG.dividedBy(2));
          assertThat(problem.status()).isEqualTo(503);
          assertThat(problem.code()).isEqualTo("server-busy");
          assertThat(problem.extras()).containsEntry("retry_after_seconds", 1);
        });
    turns.take("quiet", 0).close();
  }

  @Test
  void a_turn_that_does_not_come_soon_is_refused_and_leaves_nothing_behind() throws Exception {
    Turns turns = new Turns(1, Duration.ofMillis(50), new Rests(System::nanoTime));
    Taken first = new Taken(turns, "noisy");
    first.granted.get(20, TimeUnit.SECONDS);

    assertThatThrownBy(() -> turns.take("quiet", 0)).isInstanceOf(Problem.class);

    assertThat(turns.waitingCount()).isZero();
    first.end();
    turns.take("quiet", 0).close();
  }

  @Test
  void a_namespace_that_rests_gets_its_turn_after_that_and_another_at_once() throws Exception {
    Rests rests = new Rests(System::nanoTime);
    Turns turns = new Turns(2, LONG, rests);
    rests.seen("quiet");
    rests.worked("noisy", Duration.ofMillis(300).toNanos());
    long begin = System.nanoTime();
    Taken noisy = new Taken(turns, "noisy");
    awaitWaiting(turns, 1);

    turns.take("quiet", 0).close();

    assertThat(noisy.isGranted()).isFalse();
    noisy.granted.get(20, TimeUnit.SECONDS);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(800))
        .isLessThan(LONG.dividedBy(2));
    noisy.end();
  }

  /** Wherever between two looks at the clock that is. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void a_rest_that_ends_while_the_turn_is_asked_for_is_over(int looksBefore) throws Exception {
    AtomicInteger looks = new AtomicInteger(Integer.MIN_VALUE);
    Rests rests = new Rests(
        () -> looks.getAndIncrement() < looksBefore ? 0 : Duration.ofSeconds(1).toNanos());
    Turns turns = new Turns(1, LONG, rests);
    rests.seen("quiet");
    rests.worked("noisy", Duration.ofMillis(100).toNanos());
    looks.set(0);

    Taken noisy = new Taken(turns, "noisy");

    assertThat(noisy.granted).succeedsWithin(Duration.ofSeconds(5));
    noisy.end();
  }

  @Test
  void a_turn_is_followed_by_a_rest() throws Exception {
    // A clock that stands still: the shortest rest would be over before it is asked for.
    Rests rests = new Rests(() -> 0);
    Turns turns = new Turns(2, LONG, rests);
    rests.seen("quiet");
    long begin = System.nanoTime();
    Taken noisy = new Taken(turns, "noisy");
    noisy.granted.get(20, TimeUnit.SECONDS);
    noisy.end();

    assertThat(rests.nanosLeft("noisy")).isPositive()
        .isLessThanOrEqualTo(3 * (System.nanoTime() - begin));
  }

  @Test
  void a_thread_that_has_its_turn_gets_no_second() {
    Turns turns = new Turns(1, Duration.ofMillis(50), new Rests(System::nanoTime));

    try (Turns.Turn outer = turns.take("orders", 0)) {
      turns.take("orders", 0).close();
      assertThatThrownBy(() -> CompletableFuture
          .runAsync(() -> turns.take("orders", 0).close(), threads).get(20, TimeUnit.SECONDS))
          .as("the inner one did not end the outer one").hasCauseInstanceOf(Problem.class);
    }
    turns.take("orders", 0).close();
  }
}
