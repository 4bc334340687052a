package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What holds for all functions and tables of the schema. */
@DatabaseTest
class SchemaContractTest {
  private final Sql sql = Sql.open();

  @Test
  void every_function_and_every_table_says_what_it_is_for() {
    assertThat(sql.texts(
        "select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace and obj_description(p.oid, 'pg_proc') is null"))
        .isEmpty();
    assertThat(sql.texts(
        "select c.relname from pg_class c where c.relnamespace = 'tasker'::regnamespace and c.relkind in ('r', 'p') "
            + "and not c.relispartition and c.relname <> 'flyway_schema_history' and obj_description(c.oid, 'pg_class') is null"))
        .isEmpty();
  }

  @Test
  void no_function_name_stands_for_two_functions() {
    assertThat(
        sql.texts(
            "select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace group by p.proname having count(*) > 1"))
        .isEmpty();
  }

  @Test
  void every_function_has_a_test_class_of_its_name_or_one_that_says_it_covers_it() {
    List<String> functions = sql
        .texts("select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace");
    Set<String> covered = new TreeSet<>();
    CoveredFunctions.byClass(functions).values().forEach(covered::addAll);
    assertThat(functions).isNotEmpty()
        .allSatisfy(function -> assertThat(covered).contains(function));
    assertThat(functions).as("functions that a class says it covers").containsAll(covered);
  }

  @Test
  void every_function_keeps_names_apart_from_the_callers_search_path() {
    // The exceptions are functions that the planner may inline: they qualify every name and set
    // nothing.
    assertThat(
        sql.texts(
            "select p.proname from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'tasker'::regnamespace "
                + "and l.lanname = 'plpgsql' and not coalesce(p.proconfig, '{}') @> array['search_path=\"\"']"))
        .isEmpty();
  }

  /**
   * Functions that do compare who holds a step, with the reason; both do it with {@code leased_by
   * in (…)}.
   *
   * <p>expire_lost_servers asks whose lease may end before its time. It ends leases of servers that
   * were not heard of, moves no
   * step, and blocks no one: recovery then takes over every expired step, whichever worker held it,
   * and the attempt fences.
   *
   * <p>release_unknown_steps is a server's own question, what of its claims it never heard of. A
   * wrong answer makes an attempt
   * start again, as a lost lease does; without it the lease would end by itself.
   */
  /**
   * Functions that look up the row of a worker in the list of workers, or the claims of a worker
   * over the REST interface: there any caller may
   * name any step, so its own record of what it was given bounds it. They compare no holder of a
   * step.
   */
  private static final Set<String> LOOKS_UP_A_WORKER = Set.of("get_served_handlers",
      "declare_worker", "decline_steps", "heartbeat_worker",
      "heartbeat", "register_worker", "get_servers", "claim_steps_for_workers",
      "submit_worker_results", "submit_results_of_workers",
      "drain_worker",
      "get_worker_claims", "save_worker_checkpoints", "find_claimed_step",
      // Which servers cannot calculate the fire times of a schedule: no step is held by it.
      "decline_schedules", "take_due_schedules", "get_schedule_documents",
      "get_worker_documents", "get_workers", "clean_worker_claims", "claim_for_worker",
      "end_worker_claims");

  /**
   * Functions that compare who holds the lease of a consumer of domain events: of two servers one
   * sends, and a late record of the other would set
   * the position behind events that it has not sent. No step is held by it.
   */
  private static final Set<String> HOLDS_A_CONSUMER = Set.of("claim_event_consumer",
      "record_event_delivery");

  private static final Set<String> MAY_ASK_WHO_HOLDS_A_STEP = Set.of("expire_lost_servers",
      "release_unknown_steps");

  private static final String WHO = "(processor_uuid|server_uuid|leased_by|worker_uuid)";

  @Test
  void a_processor_uuid_decides_nothing() {
    // In no WHERE, ON or WHEN: it is written into rows and handed on, and never compared.
    String compared = WHO + "\\s*(=|<>|!=|is (not )?distinct)";
    String comparedBack = "(=|<>|!=|distinct from)\\s*\\w*\\.?(p_processor_uuid|p_server_uuid|leased_by)\\s*(\\)|and|or|then|;|$)";
    // The check compares two records of who claimed a step, and moves nothing.
    assertThat(linesLike(compared, comparedBack))
        .filteredOn(
            line -> !LOOKS_UP_A_WORKER.contains(line.substring(0, line.indexOf(':')))
                && !HOLDS_A_CONSUMER.contains(line.substring(0, line.indexOf(':')))
                && !line.startsWith("find_state_violations: ")
                && !line.startsWith("find_reference_violations: ")
                && !line.startsWith("find_result_violations: ")
                && !line.startsWith("find_worker_violations: ")
                // It deletes the row that it has made.
                && !line.startsWith("check_storage: ")
                // It shows the name of who holds a step.
                && !line.startsWith("explain_waiting_steps: ")
                // The rows of those that are silent, by their own keys.
                && !line.startsWith("expire_lost_servers: where ")
                // What the worker serves, as get_served_handlers.
                && !line.equals("complete_step: where w.worker_uuid = p_server_uuid")
                && !line.equals("create_task: where w.worker_uuid = p_server_uuid"))
        .isNotEmpty().allSatisfy(
            line -> assertThat(line)
                .matches(
                    ".*(set |leased_by = (p_server_uuid|p_processor_uuid|null|case|coalesce)).*|.*on conflict \\((server|worker)_uuid\\).*"));
  }

  @Test
  void a_processor_uuid_is_looked_for_in_a_set_only_where_that_is_argued() {
    // "any" and "in" on either side, also a join by it.
    String inSet = WHO + "\\s*(not\\s+)?(in\\s*\\(|=\\s*(any|some|all)\\y|<>\\s*(any|some|all)\\y)";
    String inSetBack = "\\y(any|in)\\s*\\(\\s*(array\\s*\\[)?\\s*(\\w+\\.)?(p_processor_uuid|p_server_uuid|leased_by)\\y|using\\s*\\([^)]*"
        + WHO;
    List<String> found = linesLike(inSet, inSetBack);
    assertThat(found.stream().map(line -> line.substring(0, line.indexOf(':')))
        .filter(name -> !LOOKS_UP_A_WORKER.contains(name))
        .collect(java.util.stream.Collectors.toSet()))
        .as("functions that ask who holds a step: " + found)
        .isEqualTo(MAY_ASK_WHO_HOLDS_A_STEP);
  }

  /** "function: line" for every line of a function's source that is like one of the patterns. */
  private List<String> linesLike(String pattern, String other) {
    return sql.texts(
        "select p.proname || ': ' || trim(line) from pg_proc p, regexp_split_to_table(lower(p.prosrc), '\\n') line "
            + "where p.pronamespace = 'tasker'::regnamespace and (line ~ ? or line ~ ?)",
        pattern, other);
  }

  @Test
  void nothing_that_a_move_changes_is_in_an_index_of_the_hot_rows() {
    assertThat(sql.texts(
        "select i.indexrelid::regclass || ' ' || a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) "
            + "where i.indrelid in ('tasker.tasks'::regclass, 'tasker.workflow_steps'::regclass) and a.attname in ('state', 'transition_count', "
            + "'unfinished_steps', 'in_flight_steps', 'attempts', 'lease_expires_at', 'next_retry_at', 'remaining_parents', 'completed_at')"))
        .isEmpty();
  }
}
