package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"make_history_partitions", "refuse_history_change", "check_task_transitions",
  "check_step_transitions",
  "refuse_template_change",
  "ensure_history_partitions", "register_template", "delete_rows_of_tasks"})
class GuardsTest {
  private final Sql sql = Sql.open();

  @Test
  void history_is_never_changed_whichever_way_one_comes() {
    Dag.of("a").started();
    List<String> tables = Stream.of("task_moves", "step_moves")
        .flatMap(history -> Stream.concat(Stream.of("tasker." + history),
            // The partition that its rows are in.
            sql.texts("select distinct tableoid::regclass from tasker." + history).stream()))
        .toList();
    assertThat(tables).hasSize(4).allSatisfy(table -> {
      assertThatDatabaseRefuses("TK009", () -> sql.run("update " + table + " set metadata = '{}'"));
      assertThatDatabaseRefuses("TK009", () -> sql.run("delete from " + table));
    });
    try (SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
    }
    assertThatDatabaseRefuses("TK009",
        () -> sql.run("update tasker.workflow_step_result_audit set result = '{}'"));
  }

  @Test
  void no_role_can_record_a_move_outside_the_rules() {
    Dag.Task task = Dag.of("a").started();
    assertThatDatabaseRefuses("TK005",
        () -> sql.run(
            "insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor) "
                + "values (?, 5, 'steps_in_process', 'complete', 'orchestrator')",
            task.uuid()))
        .hasMessageContaining("from steps_in_process to complete by orchestrator");
    assertThatDatabaseRefuses("TK005",
        () -> sql.run(
            "insert into tasker.step_moves (workflow_step_uuid, task_uuid, sort_key, from_state, to_state, actor, handoff, attempt) "
                + "values (?, ?, 3, 'enqueued', 'in_progress', 'orchestrator', 1, 1)",
            task.step("a"), task.uuid()))
        .hasMessageContaining("from enqueued to in_progress by orchestrator");
    assertThatDatabaseRefuses("TK005",
        () -> sql.run(
            "insert into tasker.step_moves (workflow_step_uuid, task_uuid, sort_key, from_state, to_state, actor, handoff, attempt) "
                + "values (?, ?, 3, null, 'complete', 'orchestrator', 1, 1)",
            task.step("a"), task.uuid()))
        .hasMessageContaining("from nothing to complete");
  }

  @Test
  void a_template_never_changes_and_stays_while_it_has_tasks() {
    Dag dag = Dag.of("guarded").step("b").dependsOn("guarded");
    Dag.Template template = dag.registered();
    for (String table : new String[]{"named_tasks", "named_steps", "named_tasks_named_steps"}) {
      assertThatDatabaseRefuses("TK003",
          () -> sql.run(
              "update tasker." + table + " set created_at = now() where named_task_uuid = ?",
              template.uuid()));
    }
    assertThatDatabaseRefuses("TK003",
        () -> sql.run(
            "update tasker.named_step_edges set to_position = 1 where named_task_uuid = ?",
            template.uuid()));
    Dag.Task task = dag.started();
    for (String table : new String[]{"named_step_edges", "named_tasks_named_steps", "named_steps",
      "named_tasks"}) {
      assertThatDatabaseRefuses("TK003",
          () -> sql.run("delete from tasker." + table + " where named_task_uuid = ?",
              template.uuid()));
    }
    assertThat(sql.texts(
        "select c.name || ' after ' || p.name from tasker.workflow_step_edges e "
            + "join tasker.workflow_steps cs on cs.workflow_step_uuid = e.to_step_uuid join tasker.named_steps c using (named_step_uuid) "
            + "join tasker.workflow_steps ps on ps.workflow_step_uuid = e.from_step_uuid join tasker.named_steps p on p.named_step_uuid = ps.named_step_uuid "
            + "where e.task_uuid = ?",
        task.uuid())).as("the edges that a task reads from its template")
        .containsExactly("b after guarded");
  }

  @Test
  void a_template_without_tasks_may_be_deleted() {
    Dag.Template template = Dag.of("deleted").step("b").dependsOn("deleted").registered();

    for (String table : new String[]{"named_step_edges", "named_tasks_named_steps", "named_steps",
      "named_tasks"}) {
      assertThat(
          sql.run("delete from tasker." + table + " where named_task_uuid = ?", template.uuid()))
          .as(table).isPositive();
    }

    assertThat(
        sql.array("select tasker.get_templates(?, ?)", template.namespace(), template.name()))
        .isEmpty();
  }

  @Test
  void a_template_is_not_deleted_while_a_task_is_being_made_from_it() {
    Dag dag = Dag.of("contested");
    Dag.Template template = dag.registered();
    try (Sql intake = Sql.session(); Sql cleaner = Sql.session()) {
      intake.object("select tasker.submit_tasks(jsonb_build_array(?::jsonb))",
          dag.request(template));
      Sql.Later<Integer> deletion = cleaner
          .later(s -> s.run("delete from tasker.named_tasks_named_steps where named_task_uuid = ?",
              template.uuid()))
          .untilItWaits();
      intake.commit();
      assertThatDatabaseRefuses("TK003", deletion::get);
      cleaner.rollback();
    }
  }

  @Test
  void the_rows_of_a_deleted_task_go_with_it_and_others_stay() {
    Dag.Task gone = Dag.of("gone").step("b").dependsOn("gone")
        .searchAttributes("{\"order\": \"id\"}").context("{\"id\": 1}").started();
    Dag.Task kept = Dag.of("kept").searchAttributes("{\"order\": \"id\"}").context("{\"id\": 1}")
        .started();
    try (Sql session = Sql.session()) {
      session.run(
          "insert into tasker.workflow_step_documents (workflow_step_uuid, task_uuid, checkpoint) "
              + "select s.workflow_step_uuid, s.task_uuid, '{}' from tasker.workflow_steps s where s.name is null and s.step_position = 1");
      assertThat(session.run("delete from tasker.tasks where task_uuid = ?", gone.uuid()))
          .isEqualTo(1);
      for (String table : new String[]{"task_contexts", "task_search_attributes", "task_wakeups",
        "workflow_steps",
        "workflow_step_documents"}) {
        assertThat(session.texts("select task_uuid::text from tasker." + table)).as(table)
            .containsExactly(kept.uuid().toString());
      }
      session.rollback();
    }
  }

  @Test
  void the_same_template_again_is_a_no_op_and_other_content_a_conflict() {
    Dag dag = Dag.diamond().step("e").dependsOn("d", "a").maxAttempts(7).backoff("fibonacci", 5, 50)
        .timeoutSeconds(9);
    JsonObject form = dag.normalForm();
    Dag.Template template = dag.registered();
    assertThat(sql.object("select tasker.register_template(?)", form).getString("outcome"))
        .isEqualTo("unchanged");
    JsonObject other = jakarta.json.Json.createObjectBuilder(form).add("content_hash", "other")
        .build();
    assertThat(sql.object("select tasker.register_template(?)", other).getString("outcome"))
        .isEqualTo("conflict");
    assertThat(sql.texts(
        "select concat_ws(' ', step_position, parent_positions, child_count, default_max_attempts, backoff, backoff_base_ms, max_backoff_ms, timeout_seconds) "
            + "from tasker.named_tasks_named_steps where named_task_uuid = ? order by step_position",
        template.uuid()))
        .containsExactly("1 {} 3 3 exponential 1000 60000", "2 {1} 1 3 exponential 1000 60000",
            "3 {1} 1 3 exponential 1000 60000",
            "4 {2,3} 1 3 exponential 1000 60000", "5 {1,4} 0 7 fibonacci 5 50 9");
  }

  @Test
  void history_partitions_are_made_once_and_hold_their_month() {
    try (Sql session = Sql.session()) {
      String future = "2030-06-15T00:00:00Z";
      assertThat(session.texts(
          "select partition_name || ' ' || outcome from tasker.ensure_history_partitions(1, ?)",
          future))
          .containsExactly(
              "step_moves_2030_06 created", "task_moves_2030_06 created",
              "step_moves_2030_07 created", "task_moves_2030_07 created");
      assertThat(session.texts("select partition_name from tasker.ensure_history_partitions(1, ?)",
          future)).isEmpty();
      session.run(
          "insert into tasker.task_moves (task_uuid, sort_key, to_state, actor, created_at) values (gen_random_uuid(), 1, 'pending', 'orchestrator', '2030-06-30T23:59:59Z')");
      assertThat(session.number("select count(*) from tasker.task_moves_2030_06"))
          .isEqualTo(1);
      assertThatDatabaseRefuses("TK009",
          () -> session.run("delete from tasker.task_moves_2030_06"));
      session.rollback();
    }
  }

  @Test
  void this_month_and_the_next_two_have_partitions_when_the_chores_were_done() {
    sql.run("select tasker.make_history_partitions()");
    assertThat(sql.texts(
        "select h || to_char(date_trunc('month', now() at time zone 'UTC') + m * interval '1 month', '_YYYY_MM') as name "
            + "from unnest(array['task_moves', 'step_moves']) h, generate_series(0, 2) m "
            + "where to_regclass('tasker.' || h || to_char(date_trunc('month', now() at time zone 'UTC') + m * interval '1 month', '_YYYY_MM')) is null"))
        .isEmpty();
  }

  @Test
  void a_month_that_the_default_partition_already_holds_stays_there() {
    try (Sql session = Sql.session()) {
      session.run(
          "insert into tasker.task_moves (task_uuid, sort_key, to_state, actor, created_at) values (gen_random_uuid(), 1, 'pending', 'orchestrator', '2031-01-05')");
      assertThat(session.texts(
          "select partition_name || ' ' || outcome from tasker.ensure_history_partitions(0, '2031-01-10')"))
          .containsExactly(
              "step_moves_2031_01 created",
              "task_moves_2031_01 kept_in_default");
      session.rollback();
    }
  }
}
