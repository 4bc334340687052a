package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions in the product's words, read from the rows themselves. */
public final class TaskerAssertions {
  /**
   * What compares the times in rows with the database's clock. Tests make hours pass by saying what
   * time it is (p_now), and the history knows better:
   * these are for {@code CorruptionsTest} and for tests with servers, in which time passes by
   * itself.
   */
  private static final List<String> CLOCK = List.of("time_is_that_of_its_move",
      "nothing_is_dated_in_the_future", "lease_ends_within_a_day",
      "retry_waits_as_long_as_was_decided", "wakeup_is_within_reach");
  /**
   * Where a guard was taken out on purpose, another test has to notice than the one that lists the
   * guards.
   */
  private static final List<String> GUARDS = Stream
      .concat(CLOCK.stream(), Stream.of("guards_are_in_place", "rules_are_those_of_this_version"))
      .toList();
  /**
   * Between the database's clock and ours lie calls that a busy machine makes slow; what is told
   * apart by this is 15 seconds and more.
   */
  private static final int TOLERANCE_SECONDS = 5;
  /** How often each edge is seen by four readers, where that is not once by each. */
  private static final String EDGES = """
      select concat_ws(' ', e.task_uuid, e.from_step_uuid, e.to_step_uuid, array_agg(e.reader order by e.reader))
      from (
        select 'view' as reader, v.from_step_uuid, v.to_step_uuid, v.task_uuid from tasker.workflow_step_edges v
        union all
        select 'list', l.from_step_uuid, l.to_step_uuid, l.task_uuid from tasker.list_edges() l
        union all
        select 'parents', p.workflow_step_uuid, s.workflow_step_uuid, p.task_uuid
        from tasker.workflow_steps s cross join lateral tasker.get_parent_steps(s.workflow_step_uuid) p
        union all
        select 'children', s.workflow_step_uuid, c.workflow_step_uuid, c.task_uuid
        from tasker.workflow_steps s cross join lateral tasker.get_child_steps(s.workflow_step_uuid) c) e
      group by e.task_uuid, e.from_step_uuid, e.to_step_uuid
      having array_agg(e.reader order by e.reader) <> '{children,list,parents,view}'""";

  private TaskerAssertions() {}

  public static StepAssert assertThatStep(UUID uuid) {
    return new StepAssert(uuid);
  }

  public static TaskAssert assertThatTask(Dag.Task task) {
    return new TaskAssert(task.uuid());
  }

  public static TaskAssert assertThatTask(UUID uuid) {
    return new TaskAssert(uuid);
  }

  /** That the database refuses something with that SQLSTATE. */
  public static AbstractThrowableAssert<?, ? extends Throwable> assertThatDatabaseRefuses(
      String state, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).isInstanceOf(Sql.SqlProblem.class);
    assertThat(((Sql.SqlProblem) thrown).state()).as(thrown.getMessage()).isEqualTo(state);
    return assertThat(thrown);
  }

  /**
   * That check_history has nothing to say, and that each history consists of moves of the models.
   *
   * @return how many moves were replayed
   */
  public static long assertThatHistoryIsSound() {
    Sql sql = TestDatabase.get().housekeeping();
    // A plan for the empty tables of a small test would compare each row of a large one with each
    // other row.
    boolean isLarge = sql.isTrue("select pg_relation_size('tasker.workflow_steps') > 1000000");
    if (isLarge) {
      sql.run("discard plans");
    }
    List<String> broken = sql
        .texts(
            "select invariant || ': ' || violations || ' ' || examples from tasker.check_history() where violations > 0 "
                + "and not invariant = any (?)",
            TestDatabase.get().isDamaged() ? GUARDS : CLOCK);
    assertThat(broken).as("broken promises").isEmpty();
    if (!isLarge) {
      assertThatEdgesAgree(sql);
    }
    List<Map<String, Object>> kinds = sql.rows(
        "select moves, case when unknown > 0 then concat_ws(' ', kind, from_state, to_state, actor, examples) end as unknown from tasker.replay_moves()");
    assertThat(kinds.stream().map(kind -> kind.get("unknown")).filter(Objects::nonNull))
        .as("broken promises: moves that the models do not know").isEmpty();
    return kinds.stream().mapToLong(kind -> (Long) kind.get("moves")).sum();
  }

  /**
   * That a task's edges are the same ones whichever way they are read: as rows of the view, all at
   * once as the proof does, and from step to step as the engine does.
   */
  public static void assertThatEdgesAgree(Sql sql) {
    assertThat(sql.texts(EDGES)).as("edges that not all readers see").isEmpty();
  }

  public static final class StepAssert {
    private final UUID uuid;
    private final Map<String, Object> row;

    private StepAssert(UUID uuid) {
      this.uuid = uuid;
      try (Sql sql = Sql.open()) {
        row = sql.rows(
            "select s.*, s.state::text as state_name from tasker.workflow_steps s where workflow_step_uuid = ?",
            uuid).get(0);
      }
    }

    public StepAssert isIn(String state) {
      assertThat(row.get("state_name")).as("state of the step").isEqualTo(state);
      return this;
    }

    public StepAssert hasAttempts(int attempts) {
      assertThat(row.get("attempts")).as("attempts").isEqualTo(attempts);
      return this;
    }

    public StepAssert hasHandoffs(int handoffs) {
      assertThat(row.get("handoffs")).as("handoffs").isEqualTo(handoffs);
      return this;
    }

    public StepAssert waitsForParents(int parents) {
      assertThat(row.get("remaining_parents")).as("remaining_parents").isEqualTo(parents);
      return this;
    }

    public StepAssert isClaimedBy(SqlWorker worker) {
      isIn("in_progress");
      assertThat(row.get("leased_by")).as("leased_by").isEqualTo(worker.uuid());
      return this;
    }

    /** That the lease ends then, give or take two seconds. */
    public StepAssert untilAbout(Instant end) {
      return at("lease_expires_at", end);
    }

    public StepAssert isDueAbout(Instant time) {
      isIn("waiting_for_retry");
      return at("next_retry_at", time);
    }

    /** The states in their order, as recorded. */
    public StepAssert went(String... states) {
      try (Sql sql = Sql.open()) {
        assertThat(sql.texts(
            "select to_state from tasker.workflow_step_transitions where workflow_step_uuid = ? order by sort_key",
            uuid))
            .as("history of the step").containsExactly(states);
      }
      return this;
    }

    private StepAssert at(String column, Instant time) {
      assertThat(row.get(column)).as(column).isNotNull();
      assertThat(((java.sql.Timestamp) row.get(column)).toInstant()).as(column).isCloseTo(time,
          within(TOLERANCE_SECONDS, ChronoUnit.SECONDS));
      return this;
    }
  }

  public static final class TaskAssert {
    private final UUID uuid;

    private TaskAssert(UUID uuid) {
      this.uuid = uuid;
    }

    public TaskAssert isIn(String state) {
      try (Sql sql = Sql.open()) {
        assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", uuid))
            .as("state of the task").isEqualTo(state);
      }
      return this;
    }

    /** Unfinished, in flight, failed and retrying steps. */
    public TaskAssert counts(int unfinished, int inFlight, int failed, int retrying) {
      try (Sql sql = Sql.open()) {
        assertThat(sql.text(
            "select concat_ws(',', unfinished_steps, in_flight_steps, failed_steps, retrying_steps) from tasker.tasks "
                + "where task_uuid = ?",
            uuid)).as("unfinished, in flight, failed, retrying")
            .isEqualTo(unfinished + "," + inFlight + "," + failed + "," + retrying);
      }
      return this;
    }

    /** The states in their order, as recorded, without the creation. */
    public TaskAssert went(String... states) {
      try (Sql sql = Sql.open()) {
        assertThat(sql.texts(
            "select to_state from tasker.task_transitions where task_uuid = ? and sort_key > 1 order by sort_key",
            uuid))
            .as("history of the task").isEqualTo(Arrays.asList(states));
      }
      return this;
    }

    public TaskAssert hasNoWakeUp() {
      assertThat(wakeUp()).as("wake-up").isNull();
      return this;
    }

    public TaskAssert isLookedAtAbout(Instant time) {
      assertThat(wakeUp()).as("wake-up").isCloseTo(time,
          within(TOLERANCE_SECONDS, ChronoUnit.SECONDS));
      return this;
    }

    public TaskAssert hasOpenDeadLetter(String reason) {
      try (Sql sql = Sql.open()) {
        assertThat(sql.text(
            "select dlq_reason from tasker.tasks_dlq where task_uuid = ? and resolution_status = 'pending'",
            uuid))
            .as("open dead letter").isEqualTo(reason);
      }
      return this;
    }

    private Instant wakeUp() {
      try (Sql sql = Sql.open()) {
        return sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", uuid);
      }
    }
  }
}
