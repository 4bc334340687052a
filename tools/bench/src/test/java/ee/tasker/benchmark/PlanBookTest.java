package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * With a million rows, no statement of the engine's functions may scan a big table sequentially.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PlanBookTest {

  private static PlanLab lab;

  @BeforeAll
  static void fill() throws SQLException {
    lab = new PlanLab(address(), 25_000);
  }

  @AfterAll
  static void drop() throws SQLException {
    lab.close();
  }

  @Test
  @Order(1)
  void no_statement_of_the_engine_reads_a_big_table_from_end_to_end() throws SQLException {
    PlanBook book = lab.measure(List.of(1, 100));

    assertThat(book.bigTables()).contains("tasks", "workflow_steps", "added_step_edges",
        "workflow_step_result_audit", "task_wakeups",
        "task_moves",
        "step_moves", "task_contexts", "q_worker_growth_queue");
    assertThat(book.functions()).contains("submit_tasks", "create_steps", "enqueue_steps",
        "send_handoffs", "take_messages",
        "claim_offered_steps", "submit_results", "release_children",
        "roll_up_task_states", "get_claimed_steps", "get_next_ready_tasks", "recover_expired_steps",
        "resend_lost_messages", "heartbeat",
        "create_dlq_entries", "list_tasks", "pass_waits", "pass_child_waits", "decide_steps",
        "cut_batches", "advance_batches",
        "send_signals",
        "store_queued_signals", "deliver_notices", "list_approvals", "explain_waiting_steps",
        "begin_compensations", "claim_deliveries",
        "take_due_schedules", "set_next_wakeups", "get_task_staleness");
    assertThat(book.scansOfBigTables()).isEmpty();
  }

  @Test
  @Order(2)
  void an_index_that_is_missing_is_seen() throws SQLException {
    lab.change("drop index tasker.task_wakeups_wake_at_idx");
    lab.change("alter table tasker.added_step_edges drop constraint added_step_edges_pkey");
    lab.change("drop index tasker.added_step_edges_to_position_idx");

    assertThat(lab.measure(List.of(1)).scansOfBigTables())
        .anyMatch(scan -> scan.contains("added_step_edges"))
        .anyMatch(scan -> scan.contains("task_wakeups"));
  }

  @Test
  void a_plan_is_written_without_what_differs_from_run_to_run() {
    assertThat(PlanBook.normal("""
        Index Scan using a_2026_11_pkey on a_2026_11 o  (cost=0.42..8.44 rows=1 width=52)
          Index Cond: (k = ANY ('{1,2}'::uuid[]))
        """)).isEqualTo("""
        Index Scan using a_yyyy_mm_pkey on a_yyyy_mm o
          Index Cond: (k = ANY ('{…}'::uuid[]))""");
  }

  @Test
  void a_whole_index_that_is_filtered_counts_as_a_scan() {
    PlanBook book = new PlanBook(Set.of("tasks"), Set.of("tasks_unchecked_idx"));

    assertThat(book.scansOfBigTables("""
        Limit
          ->  Nested Loop
                ->  Index Scan using tasks_pkey on tasks t
                      Filter: (NOT context_checked)
                ->  Index Scan using task_wakeups_pkey on task_wakeups w
                      Index Cond: (task_uuid = t.task_uuid)"""))
        .containsExactly("Index Scan without a condition on tasks");
    assertThat(book.scansOfBigTables("""
        Nested Loop
          ->  Index Scan using tasks_unchecked_idx on tasks t
                Filter: (completed_at IS NULL)
          ->  Index Scan using tasks_pkey on tasks u
                Index Cond: (task_uuid = t.task_uuid)
                Filter: (completed_at IS NULL)""")).isEmpty();
  }

  /** Up to the slash before the name of the database. */
  private static String address() throws SQLException {
    try (Connection connection = TestDatabase.get().connect()) {
      return connection.getMetaData().getURL().replaceAll("(//[^/]+/).*", "$1");
    }
  }
}
