package ee.tasker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.model.StepKey;
import ee.tasker.tracing.TraceSpan;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClaimProtocolTest {
  private static final int CAPACITY = 5;
  private static final UUID TASK = new UUID(0, 1);

  private final LiveSettings live = new LiveSettings();
  private final QueueHint hint = new QueueHint();
  private final RunningSteps running = new RunningSteps();
  private final ClaimProtocol claims = new ClaimProtocol();
  private final QueueClaims queueClaims = new QueueClaims();
  private final UnstartedSteps unstarted = new UnstartedSteps();
  private final Source source = new Source();
  private final Worker worker = new Worker();
  private final Queue<EngineReply> told = new ConcurrentLinkedQueue<>();
  private final AtomicInteger orphanChecks = new AtomicInteger();
  private final List<StepKey> givenBack = new ArrayList<>();
  private final List<Runnable> loops = new ArrayList<>();
  private IntFunction<ClaimReply> queue = limit -> claimed(0);
  private boolean takesFromOutside = true;
  private boolean canRead = true;
  private boolean canTell = true;
  private boolean canGiveBack = true;
  private Permits permits;
  private List<StepKey> knownWhenTold = List.of();
  private List<StepKey> knownWhenRead = List.of();

  /** Takes steps over and runs none. */
  private static final class Worker implements StepReceiver {
    private final Queue<RunningStep> started = new ConcurrentLinkedQueue<>();
    private boolean canAdmit = true;
    private boolean canStart = true;

    @Override
    public List<RunningStep> admit(List<RunningStep> claimed) {
      if (!canAdmit) {
        throw new IllegalStateException("a handler that cannot be looked up");
      }
      return claimed;
    }

    @Override
    public void start(List<RunningStep> admitted) {
      started.addAll(admitted);
      if (!canStart) {
        throw new IllegalStateException("no thread");
      }
    }
  }

  /** Gives what the test says. */
  private final class Source implements StepSource {
    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public boolean isOpenBesideQueues() {
      return takesFromOutside;
    }

    @Override
    public int batchSize() {
      return CAPACITY;
    }

    @Override
    public ClaimReply claim(int limit) {
      return queue.apply(limit);
    }

    @Override
    public List<ClaimedStep> read(JsonArray documents) {
      if (!canRead) {
        throw new IllegalStateException("no definitions");
      }
      knownWhenRead = running.keys();
      return documents.stream().map(document -> ClaimedSteps.any()).toList();
    }

    @Override
    public void release(List<StepKey> keys) {
      if (!canGiveBack) {
        throw new IllegalStateException("the database is away");
      }
      givenBack.addAll(keys);
    }

    @Override
    public void committed(EngineReply reply) {
      knownWhenTold = running.keys();
      if (!canTell) {
        throw new IllegalStateException("the server goes down");
      }
      told.add(reply);
    }

    @Override
    public void claimOutcomeUnknown() {
      orphanChecks.incrementAndGet();
    }
  }

  @BeforeEach
  void connect() {
    live.changeCapacity(CAPACITY);
    permits = Permits.of(live, queueClaims);
    unstarted.connect(source, permits, running);
    claims.connect(permits, running, hint, worker, source, unstarted);
    Executor threads = loops::add;
    queueClaims.connect(threads, source, permits, hint, claims);
    hint.take();
  }

  @Test
  void claimed_steps_are_run_and_what_was_not_claimed_is_released() {
    ClaimReply reply = claims.call(4, limit -> claimed(3));

    assertThat(worker.started).hasSize(3);
    assertThat(running.count()).isEqualTo(3);
    assertThat(permits.freeCount()).isEqualTo(2);
    assertThat(told).containsExactly(reply);
    assertThat(orphanChecks).hasValue(0);
  }

  @Test
  void claimed_steps_are_known_before_the_database_is_called_again() {
    claims.call(2, limit -> claimed(2));

    List<StepKey> keys = List.of(new StepKey(TASK, new UUID(1, 0), 1),
        new StepKey(TASK, new UUID(1, 1), 1));
    assertThat(knownWhenTold).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(knownWhenRead).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(running.keys()).as("those that run, under their own names").hasSize(2)
        .doesNotContainAnyElementsOf(keys);
  }

  @Test
  void steps_that_were_left_out_of_a_long_reply_are_given_back_and_asked_for_again() {
    hint.take();
    claims.call(3, limit -> withLeftOut(claimed(3), 2));

    assertThat(worker.started).hasSize(1);
    assertThat(running.count()).isEqualTo(1);
    assertThat(permits.freeCount()).isEqualTo(4);
    assertThat(givenBack).containsExactly(new StepKey(TASK, new UUID(1, 1), 1),
        new StepKey(TASK, new UUID(1, 2), 1));
    assertThat(hint.take()).isTrue();
    assertThat(orphanChecks).hasValue(0);
  }

  @Test
  void steps_that_were_left_out_and_cannot_be_given_back_are_found_by_the_check_for_orphans() {
    canGiveBack = false;

    claims.call(3, limit -> withLeftOut(claimed(3), 2));

    assertThat(permits.freeCount()).isEqualTo(4);
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void claimed_steps_that_cannot_be_read_are_not_known() {
    canRead = false;

    claims.call(2, limit -> claimed(2));

    assertThat(knownWhenTold).hasSize(2);
    assertThat(running.keys()).isEmpty();
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void call_may_claim_what_it_has_permits_for() {
    permits.take(2);

    claims.call(4, limit -> {
      assertThat(limit).isEqualTo(3);
      assertThat(permits.freeCount()).as("all are kept for the call").isZero();
      return claimed(0);
    });

    assertThat(permits.freeCount()).isEqualTo(3);
  }

  @Test
  void server_that_takes_none_from_outside_its_queues_makes_the_call_and_claims_none() {
    takesFromOutside = false;

    claims.call(4, limit -> {
      assertThat(limit).isZero();
      return claimed(0);
    });

    assertThat(told).hasSize(1);
    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
  }

  @Test
  void answer_that_was_lost_releases_the_permits_and_has_orphans_looked_for() {
    assertThatThrownBy(
        () -> claims.call(4, limit -> lost(new SQLException("connection reset", "08006"))))
        .hasMessage("connection reset");

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(orphanChecks).hasValue(1);
    assertThat(told).isEmpty();
  }

  @Test
  void error_of_the_machine_is_an_answer_that_was_lost() {
    assertThatThrownBy(() -> claims.call(4, limit -> lost(new OutOfMemoryError("in a test"))))
        .isInstanceOf(OutOfMemoryError.class);

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void refusal_of_the_database_releases_the_permits_and_leaves_no_orphans() {
    assertThatThrownBy(
        () -> claims.call(4, limit -> lost(new SQLException("deadlock detected", "40P01"))))
        .hasMessage("deadlock detected");

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(orphanChecks).hasValue(0);
  }

  @Test
  void call_that_could_claim_nothing_leaves_no_orphans() {
    permits.take(CAPACITY);

    assertThatThrownBy(
        () -> claims.call(4, limit -> lost(new SQLException("connection reset", "08006"))))
        .hasMessage("connection reset");

    assertThat(orphanChecks).hasValue(0);
    assertThat(permits.freeCount()).isZero();
  }

  @Test
  void claimed_steps_whose_definitions_cannot_be_read_are_orphans() {
    canRead = false;

    claims.call(4, limit -> claimed(3));

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(running.count()).isZero();
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void steps_that_the_worker_cannot_look_through_are_given_back() {
    worker.canAdmit = false;

    claims.call(4, limit -> claimed(3));

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(running.count()).isZero();
    assertThat(worker.started).isEmpty();
    assertThat(orphanChecks).hasValue(0);
  }

  @Test
  void steps_that_the_worker_cannot_start_are_given_back_and_begin_no_more() {
    worker.canStart = false;

    claims.call(4, limit -> claimed(3));

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(running.count()).isZero();
    assertThat(worker.started).hasSize(3).noneMatch(step -> step.start(TraceSpan.NONE));
  }

  @Test
  void steps_that_cannot_be_given_back_are_orphans() {
    worker.canStart = false;
    canGiveBack = false;

    claims.call(4, limit -> claimed(3));

    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void claimed_steps_are_run_although_the_others_could_not_be_told() {
    canTell = false;

    claims.call(4, limit -> claimed(3));

    assertThat(worker.started).hasSize(3);
    assertThat(permits.freeCount()).isEqualTo(2);
  }

  @Test
  void queues_that_gave_as_many_as_there_were_permits_are_asked_again() {
    hint.set();
    queue = limit -> claimed(limit);
    claims.claimFromQueues(2);
    assertThat(hint.isSet()).isTrue();

    queue = limit -> claimed(limit - 1);
    claims.claimFromQueues(2);
    assertThat(hint.isSet()).as("they gave all they had").isFalse();
  }

  @Test
  void hint_that_comes_during_the_call_is_kept() {
    hint.set();

    queue = limit -> {
      assertThat(hint.isSet()).as("taken before the call").isFalse();
      hint.set();
      return claimed(0);
    };
    claims.claimFromQueues(2);

    assertThat(hint.isSet()).isTrue();
  }

  @Test
  void queues_are_asked_again_after_a_fault() {
    hint.set();

    queue = limit -> lost(new SQLException("connection reset", "08006"));
    assertThatThrownBy(() -> claims.claimFromQueues(2))
        .hasMessage("connection reset");

    assertThat(hint.isSet()).isTrue();
    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void results_are_submitted_with_the_permits_of_their_steps_and_half_of_those_available() {
    permits.take(3);

    List<RunningStep> next = claims.submit(2, 10, (limit, fromQueues) -> {
      assertThat(limit).isEqualTo(3);
      assertThat(fromQueues).isFalse();
      claims.call(1, beside -> {
        assertThat(beside).as("a submission beside it claims its first step at once").isEqualTo(1);
        return claimed(0);
      });
      return results(1);
    }).steps();

    assertThat(next).hasSize(1);
    assertThat(worker.started).as("the caller runs them").isEmpty();
    assertThat(permits.freeCount()).as("one step goes on, one was claimed").isEqualTo(3);
  }

  @Test
  void a_slow_call_claims_only_what_follows_its_own_steps_and_leaves_the_queues_to_others() {
    permits.take(3);
    hint.set();

    claims.submit(2, 0, (limit, fromQueues) -> {
      assertThat(limit).isEqualTo(2);
      assertThat(fromQueues).isFalse();
      assertThat(hint.isSet()).as("others claim meanwhile").isTrue();
      return results(0);
    });

    assertThat(hint.isSet()).isTrue();
    assertThat(permits.freeCount()).isEqualTo(4);
  }

  @Test
  void results_that_could_not_be_submitted_keep_the_permits_of_their_steps() {
    permits.take(3);
    hint.set();

    assertThatThrownBy(() -> claims.submit(2, 10, (limit, fromQueues) -> {
      assertThat(fromQueues).isTrue();
      return lost(new SQLException("connection reset", "08006"));
    })).hasMessage("connection reset");

    assertThat(permits.freeCount()).isEqualTo(2);
    assertThat(hint.isSet()).isTrue();
    assertThat(orphanChecks).hasValue(1);
  }

  @Test
  void permits_that_a_lower_capacity_has_taken_are_held_again_by_results_that_could_not_be_submitted() {
    permits.take(5);
    permits.changeCapacity(2);

    assertThatThrownBy(() -> claims.submit(4, 10, (limit, fromQueues) -> {
      assertThat(limit).as("three of the four are too many").isEqualTo(1);
      return lost(new SQLException("connection reset", "08006"));
    })).hasMessage("connection reset");
    claims.submit(4, 10, (limit, fromQueues) -> results(0));

    assertThat(permits.freeCount()).as("one of two is busy").isEqualTo(1);
  }

  @Test
  void draining_server_submits_and_claims_nothing() {
    permits.take(3);
    hint.set();
    permits.drain();

    claims.submit(2, 10, (limit, fromQueues) -> {
      assertThat(limit).isZero();
      assertThat(fromQueues).isFalse();
      return results(0);
    });

    assertThat(permits.freeCount()).isEqualTo(4);
    assertThat(hint.isSet()).as("for the time after the drain").isTrue();
  }

  @Test
  void result_that_its_handlers_transaction_has_recorded_releases_the_permit() {
    claims.call(1, limit -> claimed(1));
    told.clear();

    claims.recorded(worker.started.peek().claimedStep().key(), results(0));

    assertThat(running.count()).isZero();
    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
    assertThat(told).hasSize(1);
  }

  @Test
  void queues_are_claimed_from_until_they_give_less_than_there_are_permits() {
    AtomicInteger ready = new AtomicInteger(3);
    queue = limit -> claimed(Math.min(2, ready.getAndAdd(-2)));
    queueClaims.stepsQueued();
    queueClaims.stepsQueued();
    assertThat(loops).as("one loop at a time").hasSize(1);

    loops.remove(0).run();

    assertThat(running.count()).isEqualTo(2);
    assertThat(hint.isSet()).as("two for five permits: nothing is left").isFalse();
    assertThat(loops).isEmpty();
  }

  @Test
  void claim_loop_that_found_all_permits_held_begins_again_when_one_is_released() {
    permits.take(CAPACITY);
    queueClaims.stepsQueued();
    loops.remove(0).run();
    assertThat(running.count()).isZero();
    queue = limit -> claimed(limit);

    permits.release(1);

    assertThat(loops).hasSize(1);
    loops.remove(0).run();
    assertThat(worker.started).hasSize(1);
  }

  @Test
  void permit_and_hint_that_come_while_the_claim_loop_ends_start_it_again() {
    permits.take(CAPACITY - 1);
    queue = limit -> {
      // Another server has queued a step just now, and another thread has ended one: neither may
      // start a second loop.
      queueClaims.stepsQueued();
      permits.release(1);
      queue = again -> claimed(again);
      return claimed(0);
    };
    queueClaims.stepsQueued();

    loops.remove(0).run();

    assertThat(worker.started).as("both permits have a step").hasSize(2);
  }

  @Test
  void claim_loop_does_not_run_on_against_a_fault() {
    AtomicInteger asked = new AtomicInteger();
    queue = limit -> {
      asked.incrementAndGet();
      return lost(new SQLException("connection reset", "08006"));
    };
    queueClaims.stepsQueued();

    loops.remove(0).run();

    assertThat(asked).hasValue(1);
    assertThat(loops).as("the poller tries again").isEmpty();
    queueClaims.stepsQueued();
    assertThat(loops).hasSize(1);
  }

  @Test
  void calls_that_race_neither_invent_nor_lose_permits() throws Exception {
    AtomicInteger most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        done.add(threads.submit(() -> {
          for (int round = 0; round < 3_000; round++) {
            race(most);
          }
        }));
      }
      for (Future<?> each : done) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    while (endOne()) {
      // the loop's condition does it
    }

    assertThat(most.get()).isBetween(1, CAPACITY);
    assertThat(running.count()).isZero();
    assertThat(permits.freeCount()).isEqualTo(CAPACITY);
  }

  private void race(AtomicInteger most) {
    int dice = ThreadLocalRandom.current().nextInt(4);
    try {
      if (dice == 0) {
        claims.call(CAPACITY, limit -> lost(new SQLException("connection reset", "08006")));
      } else if (dice == 1) {
        endOne();
      } else {
        claims.call(dice,
            limit -> claimed(limit == 0 ? 0 : ThreadLocalRandom.current().nextInt(limit + 1)));
      }
    } catch (Exception lost) {
      assertThat(lost).hasMessage("connection reset");
    }
    most.accumulateAndGet(running.count(), Math::max);
  }

  private boolean endOne() {
    RunningStep step = worker.started.poll();
    if (step != null) {
      claims.submit(1, 1, (limit, fromQueues) -> {
        running.remove(step.claimedStep().key());
        return results(0);
      });
    }
    return step != null;
  }

  private static ClaimReply claimed(int count) {
    return new ClaimReply(documents(count));
  }

  private static ResultsReply results(int claimed) {
    return new ResultsReply(documents(claimed), false, List.of(), List.of(), Optional.empty(),
        false);
  }

  private static ClaimReply withLeftOut(ClaimReply reply, int last) {
    JsonArrayBuilder documents = Json.build().createArrayBuilder();
    List<JsonObject> steps = reply.claimedSteps().getValuesAs(JsonObject.class);
    for (int i = 0; i < steps.size(); i++) {
      documents.add(i < steps.size() - last ? steps.get(i)
          : Json.build().createObjectBuilder(steps.get(i)).add("left_out", true).build());
    }
    return new ClaimReply(documents.build());
  }

  private static JsonArray documents(int count) {
    JsonArrayBuilder documents = Json.build().createArrayBuilder();
    for (int i = 0; i < count; i++) {
      documents.add(Json.build().createObjectBuilder().add("task_uuid", TASK.toString())
          .add("step_uuid", new UUID(1, i).toString())
          .add("handoff", 1));
    }
    return documents.build();
  }

  /**
   * Faults of a transaction's end are checked exceptions on some servers, and come out of methods
   * that declare none.
   */
  @SuppressWarnings("unchecked")
  private static <R, E extends Throwable> R lost(Throwable fault) throws E {
    throw (E) fault;
  }
}
