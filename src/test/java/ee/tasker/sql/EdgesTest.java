package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatEdgesAgree;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The edges between the steps that a task begins with are its template's; stored are the others.
 */
@DatabaseTest
@DatabaseTest.Covers({"get_parent_steps", "get_child_steps", "list_edges"})
class EdgesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<String> edges(UUID task) {
    return sql.texts(
        "select concat_ws(' ', coalesce(p.name, pn.name), coalesce(c.name, cn.name), e.name) from tasker.workflow_step_edges e "
            + "join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid join tasker.named_steps pn on pn.named_step_uuid = p.named_step_uuid "
            + "join tasker.workflow_steps c on c.workflow_step_uuid = e.to_step_uuid join tasker.named_steps cn on cn.named_step_uuid = c.named_step_uuid "
            + "where e.task_uuid = ? order by 1",
        task);
  }

  private long stored(UUID task) {
    return sql.number("select count(*) from tasker.added_step_edges where task_uuid = ?", task);
  }

  @Test
  void a_task_stores_no_edge_of_its_template_and_has_them_all() {
    Dag.Task task = Dag.diamond().started();

    assertThat(stored(task.uuid())).isZero();
    assertThat(edges(task.uuid())).containsExactly("a b provides", "a c provides", "b d provides",
        "c d provides");
    assertThat(sql.number("select count(*) from (select tasker.get_child_steps(?)) child",
        task.step("a"))).isEqualTo(2);
  }

  @Test
  void two_tasks_of_a_template_have_edges_of_their_own_steps() {
    Dag dag = Dag.linear(2);
    List<Dag.Task> tasks = dag.started(2);

    for (Dag.Task task : tasks) {
      assertThat(sql.texts(
          "select from_step_uuid || ' ' || to_step_uuid from tasker.workflow_step_edges where task_uuid = ?",
          task.uuid())).containsExactly(task.step("s1") + " " + task.step("s2"));
    }
  }

  @Test
  void an_added_step_has_the_edges_that_it_came_with_and_not_those_of_its_templates_step() {
    Dag.Task task = Dag.linear(3).started();

    sql.object("select tasker.add_steps(?, ?, ?)", task.uuid(),
        "[{\"name\": \"w\", \"step\": \"s2\"}]",
        "[{\"from\": \"s1\", \"to\": \"w\"}, {\"from\": \"w\", \"to\": \"s3\"}]");

    assertThat(stored(task.uuid())).isEqualTo(2);
    assertThat(edges(task.uuid())).containsExactly("s1 s2 provides", "s1 w provides",
        "s2 s3 provides", "w s3 provides");
  }

  @Test
  void an_added_child_follows_its_parent_at_once() {
    Dag.Task task = Dag.of("a").started();
    sql.object("select tasker.add_steps(?, ?, ?)", task.uuid(),
        "[{\"name\": \"w\", \"step\": \"a\"}]", "[{\"from\": \"a\", \"to\": \"w\"}]");

    worker.complete(worker.claimOne().success("{\"n\": 1}"));
    Claim added = worker.claimOne();

    assertThat(added.step()).isEqualTo(task.step("w"));
    assertThat(added.claimedStep().getJsonObject("results").getJsonObject("a").getInt("n"))
        .isOne();
  }

  @Test
  void a_completion_alone_starts_the_child_of_the_template_and_the_one_that_was_added() {
    Dag.Task task = Dag.linear(2).started();
    sql.object("select tasker.add_steps(?, ?, ?)", task.uuid(),
        "[{\"name\": \"w\", \"step\": \"s1\"}]", "[{\"from\": \"s1\", \"to\": \"w\"}]");

    worker.complete(worker.claimOne().success());

    assertThat(sql.texts(
        "select coalesce(name, 's2') || ' ' || remaining_parents || ' ' || handoffs "
            + "from tasker.workflow_steps where task_uuid = ? and step_position > "
            + "(select min(step_position) from tasker.workflow_steps where task_uuid = ?) order by 1",
        task.uuid(), task.uuid())).containsExactly("s2 0 1", "w 0 1");
  }

  @Test
  void what_a_decision_created_has_edges_that_are_stored() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a").decision().step("x")
        .dependsOn("route").step("y").dependsOn("route").step("end").dependsOn("x", "y")
        .convergence().started();

    assertThat(edges(task.uuid())).containsExactly("a route provides");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("y"));

    assertThat(stored(task.uuid())).isEqualTo(2);
    assertThat(edges(task.uuid())).containsExactly("a route provides", "route y provides",
        "y end provides");
  }

  @Test
  @DatabaseTest.BreaksPromises
  void readers_that_differ_are_noticed() {
    Dag.Task task = Dag.linear(2).started();
    sql.run("insert into tasker.added_step_edges values (?, 1, 2)", task.uuid());

    assertThatThrownBy(() -> assertThatEdgesAgree(sql)).hasMessageContaining("view,view");
  }

  @Test
  void a_wide_task_is_read_in_linear_time() {
    Dag wide = Dag.of("root");
    for (int i = 1; i <= 3_000; i++) {
      wide.step("s" + i).dependsOn("root");
    }
    Dag.Task task = wide.submitted();

    Instant start = Instant.now();
    assertThat(sql.number(
        "select count(*) from tasker.workflow_steps s cross join lateral tasker.get_parent_steps(s.workflow_step_uuid) p where s.task_uuid = ?",
        task.uuid())).isEqualTo(3_000);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_edges e where e.from_step_uuid = ?",
        task.step("root"))).isEqualTo(3_000);

    // Nine million pairs take longer.
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(2));
  }
}
