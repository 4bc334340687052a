package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"diagnose_task", "get_task_documents"})
class ListTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<String> found(String filter, Object... arguments) {
    return sql.texts("select t ->> 'task_uuid' from jsonb_array_elements(tasker.list_tasks(" + filter + ", 100) -> 'tasks') t", arguments);
  }

  private static String[] uuids(Dag.Task... tasks) {
    return java.util.Arrays.stream(tasks).map(task -> task.uuid().toString()).toArray(String[]::new);
  }

  @Test
  void several_states_are_one_filter() {
    Dag.Task complete = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task failed = Dag.of("b").started();
    worker.complete(worker.claimOne().permanentFailure());
    Dag.Task running = Dag.of("c").started();

    assertThat(found("'{\"state\": \"complete,blocked_by_failures\"}'")).containsExactlyInAnyOrder(uuids(complete, failed));
    assertThat(found("'{\"state\": \"steps_in_process,blocked_by_failures\"}'")).containsExactlyInAnyOrder(uuids(running, failed));
    assertThat(found("'{\"state\": \"steps_in_process\"}'")).containsExactly(uuids(running));
    assertThat(found("'{\"state\": \"cancelled,error\"}'")).isEmpty();
  }

  @Test
  void tag_is_one_of_those_of_the_task() {
    UUID tagged = sql.uuid("select tasker.submit_task('orders', ?, '1', '{}', '{\"tags\": [\"red\", \"blue\"]}')",
        Dag.of("a").identity("always_unique").registered().name());
    sql.uuid("select tasker.submit_task('orders', ?, '1', '{}', '{\"tags\": [\"reddish\"]}')",
        Dag.of("a").identity("always_unique").registered().name());

    assertThat(found("'{\"tag\": \"red\"}'")).containsExactly(tagged.toString());
    assertThat(found("'{\"tag\": \"green\"}'")).isEmpty();
  }

  @Test
  void time_ranges_include_their_beginning_and_not_their_end() {
    Dag.Task first = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task second = Dag.of("b").started();
    String at = "jsonb_build_object(?::text, (select %s from tasker.tasks where task_uuid = ?))";

    for (String column : List.of("created_at", "completed_at")) {
      String kind = column.substring(0, column.length() - 3);
      assertThat(found(at.formatted(column), kind + "_after", first.uuid())).contains(uuids(first));
      assertThat(found(at.formatted(column), kind + "_before", first.uuid())).doesNotContain(uuids(first));
      assertThat(found(at.formatted(column + " + interval '1 microsecond'"), kind + "_before", first.uuid())).contains(uuids(first));
      assertThat(found(at.formatted(column + " + interval '1 microsecond'"), kind + "_after", first.uuid())).doesNotContain(uuids(first));
    }
    assertThat(found(at.formatted("completed_at - interval '1 hour'"), "completed_after", first.uuid())).as("what has not ended")
        .doesNotContain(uuids(second));
    assertThat(found("'{\"created_after\": \"0001-01-01T00:00:00Z\", \"created_before\": \"9999-12-31T23:59:59Z\"}'")).hasSize(2);
    assertThat(found("'{\"created_before\": \"2001-01-01T00:00:00Z\"}'")).isEmpty();
  }

  @Test
  void updated_is_when_the_state_last_changed() {
    Dag.Task ended = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task moving = Dag.linear(2).started();
    String moved = sql.text("select to_jsonb(max(created_at)) #>> '{}' from tasker.task_transitions where task_uuid = ?", moving.uuid());

    assertThat(found("jsonb_build_object('updated_after', ?::text)", moved)).containsExactly(uuids(moving));
    assertThat(found("jsonb_build_object('updated_before', ?::text)", moved)).containsExactly(uuids(ended));
    assertThat(found("jsonb_build_object('updated_after', (select completed_at from tasker.tasks where task_uuid = ?))", ended.uuid()))
        .contains(uuids(ended));
  }

  /** Otherwise a day among years of tasks would read all of them. */
  @Test
  void range_of_creation_reads_only_its_part_of_the_index() {
    Dag.of("a").identity("always_unique").submitted(2000);
    // What the submission read is counted before, and not when it happens to be told.
    sql.text("select pg_stat_force_next_flush()::text");
    long before = sql.number("select idx_tup_read from pg_stat_user_indexes where indexrelname = 'tasks_pkey'");

    assertThat(found("jsonb_build_object('created_before', clock_timestamp() - interval '1 hour')")).isEmpty();
    assertThat(found("jsonb_build_object('created_after', clock_timestamp() + interval '1 hour')")).isEmpty();

    sql.text("select pg_stat_force_next_flush()::text");
    assertThat(sql.number("select idx_tup_read from pg_stat_user_indexes where indexrelname = 'tasks_pkey'") - before).isLessThan(200);
  }

  @Test
  void task_says_in_a_sentence_why_it_waits_or_is_blocked() {
    Dag.Task task = Dag.linear(3).started();
    assertThat(explanation(task)).startsWith("Step s1 has been offered since ").contains("no live worker serves namespace orders")
        .endsWith("; 2 other steps are not done.");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(explanation(task)).isEqualTo("Step s2 failed permanently at attempt 1; an operator has to act; 1 other step is not done.");

    Dag.Task done = Dag.of("x").started();
    worker.complete(worker.claimOne().success());
    assertThat(explanation(done)).isNull();
    JsonObject document = sql.array("select tasker.get_task_documents(array[?::uuid])", task.uuid()).getJsonObject(0);
    assertThat(document.getString("explanation")).isEqualTo(explanation(task));
    assertThat(sql.array("select tasker.get_task_documents(array[?::uuid])", done.uuid()).getJsonObject(0).isNull("explanation")).isTrue();
    assertThat(sql.text("select tasker.diagnose_task(gen_random_uuid())")).isNull();
  }

  private String explanation(Dag.Task task) {
    return sql.text("select tasker.diagnose_task(?)", task.uuid());
  }
}
