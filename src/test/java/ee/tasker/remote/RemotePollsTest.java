package ee.tasker.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.dispatch.ClaimedSteps;
import ee.tasker.engine.reply.WorkerClaimReply;
import ee.tasker.engine.reply.WorkerClaimReply.Outcome;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.step.ClaimedStep;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait, with a database that the test plays; threads run when the test says so. */
class RemotePollsTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Deque<Runnable> work = new ArrayDeque<>();
  private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
  private final List<JsonArray> calls = new ArrayList<>();
  private final List<ClaimedStep> givenBack = new ArrayList<>();
  private final AtomicReference<Recheck.Outcome<Optional<Set<String>>>> permission = new AtomicReference<>(
      new Recheck.Outcome.Permitted<>(Optional.empty()));
  private final RemotePolls polls = new RemotePolls();
  private Function<JsonObject, WorkerClaimReply> database = request -> reply(Outcome.EMPTY, "kind");

  @BeforeEach
  void connect() {
    polls.connect(task -> {
      synchronized (work) {
        work.add(task);
        work.notifyAll();
      }
    }, timers, requests -> {
      calls.add(requests);
      return requests.getValuesAs(JsonObject.class).stream().map(request -> database.apply(request))
          .toList();
    }, (poll, steps) -> List.of(ClaimedSteps.any()), (poll, steps) -> givenBack.addAll(steps),
        Duration.ofMillis(20));
  }

  @AfterEach
  void stop() {
    timers.shutdownNow();
  }

  private static WorkerClaimReply reply(Outcome outcome, String kind) {
    JsonArray steps = outcome == Outcome.CLAIMED ? Json.build().createArrayBuilder().add(1).build()
        : JsonValue.EMPTY_JSON_ARRAY;
    return new WorkerClaimReply(outcome, "paused", kind, steps);
  }

  private static Poll poll(int worker, Duration wait) {
    return new Poll(new UUID(0, worker), "user:ann", Optional.empty(), 1, Optional.empty(), wait);
  }

  /** Runs what is to be run until there is nothing more. */
  private void run() {
    while (true) {
      Runnable next;
      synchronized (work) {
        next = work.poll();
      }
      if (next == null) {
        return;
      }
      next.run();
    }
  }

  private CompletableFuture<List<ClaimedStep>> ask(int worker, Duration wait) {
    CompletableFuture<List<ClaimedStep>> answer = polls.poll(poll(worker, wait),
        new Recheck<>(permission::get));
    run();
    return answer;
  }

  @Test
  void request_is_looked_at_once_and_then_only_when_steps_are_offered() {
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    assertThat(answer).isNotDone();
    polls.capacityFreed(new UUID(0, 1));
    run();
    assertThat(calls).hasSize(1);

    database = request -> reply(Outcome.CLAIMED, "kind");
    polls.offersQueued();
    run();

    assertThat(calls).hasSize(2);
    assertThat(calls.get(0).getJsonObject(0).containsKey("kind")).isFalse();
    assertThat(calls.get(1).getJsonObject(0).getString("kind")).isEqualTo("kind");
    assertThat(answer).isCompletedWithValueMatching(steps -> steps.size() == 1);
    assertThat(polls.count()).isZero();
  }

  @Test
  void request_that_does_not_wait_is_answered_by_its_first_look() {
    assertThat(ask(1, Duration.ZERO)).isCompletedWithValue(List.of());
    assertThat(calls).hasSize(1);
  }

  @Test
  void wait_ends_with_its_time() throws Exception {
    CompletableFuture<List<ClaimedStep>> answer = ask(1, Duration.ofMillis(30));
    awaitWork();
    run();
    assertThat(answer.get(20, TimeUnit.SECONDS)).isEmpty();
    assertThat(polls.count()).isZero();
  }

  @Test
  void of_a_thousand_that_wait_one_offer_wakes_a_few_in_one_call_first_come_first_served() {
    List<CompletableFuture<List<ClaimedStep>>> answers = IntStream.range(0, 1_000)
        .mapToObj(worker -> ask(worker, LONG)).toList();
    calls.clear();
    List<JsonObject> offered = new ArrayList<>();
    database = request -> {
      offered.add(request);
      return reply(offered.size() == 1 ? Outcome.CLAIMED : Outcome.EMPTY, "kind");
    };

    polls.offersQueued();
    run();

    assertThat(calls).as("one that finds the step, and one that finds no more").hasSize(2)
        .allMatch(call -> call.size() <= 20);
    assertThat(answers.get(0)).isDone();
    assertThat(answers.subList(1, 1_000)).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void waiting_requests_of_another_kind_are_tried_in_the_same_call() {
    database = request -> reply(Outcome.EMPTY,
        request.getString("worker_uuid").endsWith("7") ? "seven" : "others");
    IntStream.range(0, 40).forEach(worker -> ask(worker, LONG));
    calls.clear();

    polls.offersQueued();
    run();

    assertThat(calls).hasSize(1);
    assertThat(calls.get(0).getValuesAs(JsonObject.class).stream()
        .filter(request -> request.getString("kind").equals("seven")))
        .as("7, 17 and 27, hexadecimal")
        .hasSize(3);
    assertThat(calls.get(0)).hasSize(23);
  }

  @Test
  void request_ends_when_its_caller_has_lost_the_right_to_work() throws Exception {
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    permission.set(new Recheck.Outcome.PutOff<>());
    permission
        .set(new Recheck.Outcome.Withdrawn<>(Problem.of(401, "not-authenticated", "revoked")));
    awaitWork();
    run();

    assertThat(answer).isCompletedExceptionally();
    assertThat(polls.count()).isZero();
    assertThatThrownBy(answer::join).hasRootCauseInstanceOf(Problem.class);
  }

  @Test
  void request_goes_on_in_the_namespaces_where_its_caller_may_work_now() throws Exception {
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    calls.clear();
    permission.set(new Recheck.Outcome.Permitted<>(Optional.of(Set.of("orders"))));
    awaitWork();
    run();

    assertThat(answer).isNotDone();
    assertThat(calls).isNotEmpty();
    assertThat(calls.get(0).getJsonObject(0).getJsonArray("namespaces").toString())
        .isEqualTo("[\"orders\"]");
  }

  private void awaitWork() throws InterruptedException {
    synchronized (work) {
      for (long end = System.nanoTime() + Duration.ofSeconds(20).toNanos(); work.isEmpty()
          && System.nanoTime() < end;) {
        work.wait(100);
      }
    }
  }

  @Test
  void server_that_keeps_a_thousand_waiting_refuses_one_more() {
    IntStream.range(0, 1_000).forEach(worker -> ask(worker, LONG));
    assertThatThrownBy(() -> ask(1_000, LONG)).isInstanceOfSatisfying(Problem.class,
        problem -> assertThat(problem.status() + " " + problem.code())
            .isEqualTo("503 server-busy"));
    assertThat(ask(7, LONG)).as("a newer request of one that waits takes its place").isNotDone();
  }

  @Test
  void newer_request_of_a_worker_ends_the_older() {
    CompletableFuture<List<ClaimedStep>> older = ask(1, LONG);
    CompletableFuture<List<ClaimedStep>> newer = ask(1, LONG);
    assertThat(older).isCompletedWithValue(List.of());
    assertThat(newer).isNotDone();
  }

  @Test
  void steps_that_come_for_a_request_which_a_newer_one_has_ended_are_given_back() {
    database = request -> reply(Outcome.CLAIMED, "kind");
    CompletableFuture<List<ClaimedStep>> older = polls.poll(poll(1, LONG),
        new Recheck<>(permission::get));
    Runnable look;
    synchronized (work) {
      look = work.poll();
    }
    database = request -> {
      // While the call is under way.
      database = later -> reply(Outcome.EMPTY, "kind");
      polls.poll(poll(1, LONG), new Recheck<>(permission::get));
      return reply(Outcome.CLAIMED, "kind");
    };
    look.run();
    run();
    assertThat(older).isCompletedWithValue(List.of());
    assertThat(givenBack).hasSize(1);
    assertThat(polls.count()).isEqualTo(1);
  }

  @Test
  void worker_whose_capacity_is_in_use_is_looked_at_again_when_it_has_ended_a_step() {
    database = request -> reply(Outcome.FULL, "kind");
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    polls.offersQueued();
    run();
    assertThat(calls).as("an offer is nothing to it").hasSize(1);

    database = request -> reply(Outcome.CLAIMED, "kind");
    polls.capacityFreed(new UUID(0, 1));
    run();

    assertThat(answer).isDone();
  }

  @Test
  void request_beside_another_one_under_way_is_looked_at_again_soon() throws Exception {
    database = request -> reply(Outcome.BUSY, "");
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    assertThat(calls).hasSize(1);
    database = request -> reply(Outcome.CLAIMED, "kind");
    for (long end = System.nanoTime() + Duration.ofSeconds(20).toNanos(); !answer.isDone()
        && System.nanoTime() < end;) {
      synchronized (work) {
        if (work.isEmpty()) {
          work.wait(100);
        }
      }
      run();
    }
    assertThat(answer).isDone();
  }

  @Test
  void refusals_are_problems_and_a_fault_of_the_database_is_one_of_new_requests_only() {
    database = request -> reply(Outcome.UNKNOWN_WORKER, "");
    assertThat(ask(1, LONG)).isCompletedExceptionally();
    database = request -> reply(Outcome.NOT_CLAIMING, "kind");
    assertThatThrownBy(() -> ask(2, LONG).join()).hasCauseInstanceOf(Problem.class).cause()
        .hasMessageContaining("paused");
    database = request -> reply(Outcome.EMPTY, "kind");
    CompletableFuture<List<ClaimedStep>> waiting = ask(3, LONG);

    database = request -> {
      throw new IllegalStateException("the database is away");
    };
    polls.offersQueued();
    run();
    assertThat(waiting).isNotDone();
    assertThat(ask(4, LONG)).isCompletedExceptionally();
    assertThat(polls.count()).isEqualTo(1);
  }

  @Test
  void worker_that_drains_waits_no_longer() {
    CompletableFuture<List<ClaimedStep>> answer = ask(1, LONG);
    polls.end(new UUID(0, 1));
    run();
    assertThat(answer).isCompletedWithValue(List.of());
  }
}
