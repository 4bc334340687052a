package ee.tasker.schema;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Which functions give the planner settings, which and why: all of them are in this list, and the
 * page docs/reference/planner-settings.md is made from this list.
 * Settings that keep names, zones and dates apart ({@code search_path}, {@code timezone}, {@code
 * datestyle}) are no part of it.
 */
@DatabaseTest
class PlannerSettingsTest {
  private static final String BY_KEY = "enable_hashjoin = off, enable_mergejoin = off, enable_seqscan = off, jit = off";

  private static final Path PAGE = Path.of("docs", "reference", "planner-settings.md");

  private record Rule(String settings, String why, List<String> functions) {
    static Rule of(String settings, String why, String... functions) {
      return new Rule(settings, why, List.of(functions));
    }

    String row() {
      return "| `" + settings + "` | "
          + String.join(", ",
              new TreeSet<>(functions).stream().map(name -> "`" + name + "`").toList())
          + " | " + why + " |";
    }
  }

  private static final List<Rule> RULES = List.of(
      Rule.of(BY_KEY + ", join_collapse_limit = 1, plan_cache_mode = force_generic_plan",
          "Servers call them all the time, for one row or for some hundred. One plan per connection, a chain of look-ups by key in the order in which it is written, holds for "
              + "every statement below them; they are the outermost functions.",
          "abandon_steps", "act_on_step", "act_on_task", "advance_backfills", "advance_due_tasks",
          "claim_deliveries", "claim_steps",
          "claim_steps_for_workers",
          "decline_steps",
          "breach_blocked_slas", "escalate_sla_breaches", "evaluate_tasks", "explain_tasks",
          "explain_waiting_steps", "fire_schedules",
          "fork_task",
          "get_documents_of_steps",
          "get_next_ready_tasks",
          "get_task_captions", "get_task_documents",
          "get_task_staleness", "get_task_summaries", "heartbeat", "heartbeat_worker",
          "process_step_results", "release_steps",
          "release_unknown_steps",
          "request_cancel", "send_signals",
          "submit_results_of_workers", "submit_tasks", "submit_worker_results",
          "take_due_schedules", "write_search_attributes"),
      Rule.of(BY_KEY
          + ", join_collapse_limit = 1, lock_timeout = 20s, plan_cache_mode = force_generic_plan",
          "The same. A call that waits for a lock ends before the server cancels it: only what takes long by itself is the fault of a result.",
          "complete_steps"),
      Rule.of(BY_KEY,
          "A bounded part of large tables, found by key or by a summary. A plan that hashes or scans reads all tasks for it. The planner may still "
              + "use the argument values.",
          "add_metric_totals", "count_task_moves", "erase_documents", "find_signal_targets",
          "group_failures",
          "plan_deliveries",
          "preview_retention", "purge_expired_tasks",
          "purge_tasks", "queue_signals", "reconcile_tasks", "settle_deliveries",
          "take_unchecked_tasks",
          "tally_steps", "tally_tasks"),
      Rule.of(BY_KEY + ", plan_cache_mode = force_custom_plan",
          "The same, and the plan depends on which arguments are null: single tasks or all, from a position or from the beginning.",
          "get_events"),
      Rule.of(
          "enable_hashjoin = off, enable_mergejoin = off, enable_nestloop = on, enable_seqscan = off, jit = off, plan_cache_mode = force_generic_plan",
          "By key, also when its caller asks for other plans: check_history calls it for each child task, without nested loops.",
          "get_task_output"),
      Rule.of("enable_seqscan = off, plan_cache_mode = force_custom_plan",
          "Filters differ from call to call, so each call has its own plan; none of them may read all tasks.",
          "erase_tasks_by_attribute", "find_tasks",
          "list_approvals"),
      Rule.of("plan_cache_mode = force_custom_plan",
          "Filters differ from call to call, over tables that are small or read by key.",
          "find_tasks_for_action", "get_dlq_documents", "list_write_requests"),
      Rule.of("enable_bitmapscan = off, enable_sort = off",
          "Reads a queue in the order of its index on claim_order and stops at the limit; a sort or a bitmap would read the whole queue.",
          "order_queues", "take_messages"),
      Rule.of("enable_nestloop = off, jit = off",
          "Compares whole tables, some of them twice. An estimate of one row leads the planner into a nested loop, and the check of a large "
              + "database into hours.",
          "find_approval_violations", "find_batch_violations", "find_child_violations",
          "find_compensation_violations",
          "find_counter_violations",
          "find_document_violations",
          "find_erasure_violations", "find_event_violations", "find_fork_violations",
          "find_graph_violations",
          "find_growth_violations",
          "find_history_violations",
          "find_identity_violations", "find_order_violations", "find_reference_violations",
          "find_result_violations",
          "find_schedule_violations", "find_sealing_violations", "find_setting_violations",
          "find_slot_violations", "find_state_violations", "find_tally_violations",
          "find_template_violations", "find_time_violations",
          "find_wait_violations", "find_wakeup_violations", "find_webhook_violations",
          "replay_moves"),
      Rule.of("enable_nestloop = off, jit = off",
          "Joins the lists in a document, whose lengths the planner guesses too low: a template of ten thousand steps took a minute.",
          "check_expressions", "find_ancestors", "register_template"),
      Rule.of("enable_seqscan = off, jit = off",
          "Starts from the history of a period and looks tasks up by key, never from all tasks.",
          "count_tasks", "get_slowest_steps", "get_slowest_tasks"),
      Rule.of("jit = off",
          "Many small expressions over few rows: compiling them took longer than running them.",
          "add_steps", "check_step_transitions", "check_task_transitions", "explain_waiting",
          "find_fact_violations", "find_overdue_violations",
          "find_worker_violations",
          "get_analytics_metrics", "get_duration_percentiles",
          "get_handoff_latency", "get_slowest_steps_aggregated", "get_slowest_tasks_aggregated",
          "get_system_health_counts",
          "get_task_history", "get_timeline_document"),
      Rule.of("jit = off, lock_timeout = 200ms",
          "Gives way to writers of the history: postponed instead of waiting.",
          "drop_history_month"),
      Rule.of("lock_timeout = 500ms",
          "Gives way to everything: who calls it tries again.",
          "guard_tables"),
      Rule.of("lock_timeout = 1s",
          "Gives way to writers of the history: postponed instead of waiting.",
          "ensure_history_partitions"));

  private final Sql sql = Sql.session();

  @Test
  void functions_have_the_settings_of_the_list_and_no_others() {
    Map<String, String> expected = new TreeMap<>();
    RULES.forEach(rule -> rule.functions().forEach(
        function -> assertThat(expected.put(function, rule.settings())).as(function).isNull()));

    assertThat(settings()).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void a_setting_that_is_added_and_one_that_is_lost_are_seen() {
    sql.run("alter function tasker.lock_tasks(uuid[]) set enable_seqscan = off");
    sql.run("alter function tasker.take_messages(text, int, text[]) reset enable_sort");

    assertThat(settings()).containsEntry("lock_tasks", "enable_seqscan = off")
        .containsEntry("take_messages", "enable_bitmapscan = off");
    sql.rollback();
  }

  /** {@code -Ddocs.write=true} writes the page anew. */
  @Test
  void the_page_of_the_documents_is_the_list() throws IOException {
    String page = "<!-- made by PlannerSettingsTest: change the list, then ./mvnw test -pl src -am"
        + " -Dtest=PlannerSettingsTest -Ddocs.write=true -->\n\n# Planner settings\n\n"
        + "Which functions give PostgreSQL's planner which settings, and why?\n"
        + "[ADR 0007](../adr/0007-planner-settings.md) has the reason for all of them.\n\n"
        + "| Settings | Functions | Why |\n|---|---|---|\n"
        + RULES.stream().map(rule -> rule.row() + "\n").collect(Collectors.joining());
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    sql.rows("""
        select p.proname as name, string_agg(replace(c, '=', ' = '), ', ' order by c collate "C") as settings
        from pg_proc p, unnest(p.proconfig) c
        where p.pronamespace = 'tasker'::regnamespace and lower(split_part(c, '=', 1)) not in ('search_path', 'timezone', 'datestyle')
        group by p.proname""")
        .forEach(row -> settings.put(row.get("name").toString(), row.get("settings").toString()));
    return settings;
  }
}
