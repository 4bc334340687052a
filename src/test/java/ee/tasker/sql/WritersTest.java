package ee.tasker.sql;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Which function may write which table of the state: the contract of docs/adr/0072. A function that
 * is not here hands its moves to apply_step_moves.
 */
class WritersTest {
  private static final String WRITER = "apply_step_moves";
  /**
   * Called for every step, with what a call would cost if they handed their moves to the writer:
   * processor time of the database, in turns beside a second database without the change
   * (PostgreSQL 18.6, 28 November 2026, a busy machine).
   */
  private static final Map<String, String> HOT = Map.of(
      "submit_results", "a result in hundreds 1.14 (control 1.01), with 8 % more log: two updates",
      "settle_steps", "where another server submitted it, best of 60, a success alone 1.06 "
          + "(control 0.99), a retryable failure alone 1.15 (control 1.03)",
      "complete_step", "a result alone 2.0 by the functions for many, docs/adr/0034",
      "enqueue_steps", "makes handoffs, which the writer refuses",
      "claim_offered_steps", "makes handoffs, which the writer refuses");
  /** Makes any move of the rules, handoffs among them, for one step. */
  private static final String BY_HAND = "transition_step_state_atomic";
  /**
   * Steps that are added have edges of their own and are handed off later; the first steps of a
   * task have those of its template, and its roots are born handed off.
   */
  private static final Map<String, String> BIRTHS = Map.of(
      "insert_steps", "the writer of steps that are added",
      "create_steps", "the first steps of tasks: no edges, roots and their history in one write",
      "create_task", "a task alone 1.7 by create_steps, docs/adr/0078");

  @Test
  void history_of_steps() {
    assertThat(writers("insert into tasker\\.step_moves\\b"))
        .isEqualTo(union(names(HOT), names(BIRTHS), List.of(WRITER, BY_HAND)));
  }

  @Test
  void results_of_steps() {
    assertThat(writers("insert into tasker\\.workflow_step_result_audit\\b"))
        .isEqualTo(union(List.of(WRITER, BY_HAND, "complete_step", "submit_results")));
  }

  @Test
  void steps() {
    assertThat(writers("insert into tasker\\.workflow_steps\\b")).isEqualTo(union(names(BIRTHS)));
  }

  @Test
  void states_of_steps() {
    assertThat(writers("update tasker\\.workflow_steps\\b[^;]*?\\bset\\s+state\\b"))
        .isEqualTo(union(names(HOT), List.of(WRITER, BY_HAND)));
  }

  /** By hand counts who is named; the others hand deltas to roll_up_task_states. */
  @Test
  void counters_of_tasks() {
    assertThat(writers("\\bset\\s+[^;]*?\\b(in_flight|failed|retrying)_steps\\s*=\\s*t\\."))
        .isEqualTo(union(List.of(WRITER, "complete_step", "complete_steps",
            "count_batch_workers", "count_failures", "move_steps_by_operator", "recount_batches",
            "roll_up_task_states")));
  }

  /** The hot ones, a birth, and the move by hand, which judges in its statement. */
  @Test
  void history_of_tasks() {
    assertThat(writers("insert into tasker\\.task_moves\\b"))
        .isEqualTo(union(List.of("apply_task_moves", "compensate_child", "complete_step",
            "create_steps", "create_task", "roll_up_task_states", "transition_task_state_atomic")));
  }

  private static List<String> names(Map<String, String> functions) {
    return List.copyOf(functions.keySet());
  }

  private static Set<String> union(List<?>... names) {
    return Stream.of(names).flatMap(List::stream).map(Object::toString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> writers(String statement) {
    Pattern pattern = Pattern.compile(statement);
    return files(Path.of("db", "routine"), ".sql").stream()
        .filter(file -> pattern.matcher(text(file).replaceAll("--[^\n]*", "")).find())
        .map(file -> file.getFileName().toString().replaceAll("^R__|\\.sql$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
