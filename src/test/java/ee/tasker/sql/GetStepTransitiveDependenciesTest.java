package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_dependency_levels", "calculate_step_depth", "detect_cycle"})
class GetStepTransitiveDependenciesTest {
  private final Sql sql = Sql.open();

  @Test
  void every_ancestor_has_one_row_with_its_shortest_distance_and_its_result() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a", "b").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().success("{\"n\": 1}"));
    }
    assertThat(sql.texts(
        "select concat_ws(' ', step_name, distance, processed, results) from tasker.get_step_transitive_dependencies(?)",
        task.step("c")))
        .containsExactly("a 1 t {\"n\": 1}", "b 1 f");
  }

  @Test
  void ten_layers_of_ten_are_walked_by_step_and_not_by_path() {
    Dag.Task task = Dag.layered(10, 10).submitted();
    long start = System.nanoTime();
    assertThat(sql.number("select count(*) from tasker.get_step_transitive_dependencies(?)",
        task.step("l10_1"))).isEqualTo(90);
    assertThat(sql.texts(
        "select distinct dependency_level from tasker.calculate_dependency_levels(?) order by 1",
        task.uuid()))
        .hasSize(10);
    assertThat(sql.number("select tasker.calculate_step_depth(?)", task.step("l10_5")))
        .isEqualTo(9);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).as("a walk by path takes 10^9 steps")
        .isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void the_level_of_a_step_is_its_longest_path() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a", "b").submitted();
    assertThat(sql.texts("select dependency_level from tasker.calculate_dependency_levels(?)",
        task.uuid())).containsExactly("0", "1", "2");
    assertThat(sql.text("select tasker.calculate_step_depth(gen_random_uuid())")).isNull();
  }

  @Test
  void an_edge_back_or_to_itself_closes_a_cycle() {
    Dag.Task task = Dag.linear(3).submitted();
    String cycle = "select tasker.detect_cycle(?, ?)";
    assertThat(sql.isTrue(cycle, task.step("s3"), task.step("s1"))).isTrue();
    assertThat(sql.isTrue(cycle, task.step("s1"), task.step("s1"))).isTrue();
    assertThat(sql.isTrue(cycle, task.step("s1"), task.step("s3"))).isFalse();
  }

  @Test
  @DatabaseTest.BreaksPromises
  void levels_of_a_cycle_are_refused_and_its_ancestors_end() {
    Dag.Task task = Dag.linear(3).submitted();
    sql.run("insert into tasker.added_step_edges values (?, 3, 2)", task.uuid());
    assertThatDatabaseRefuses("TK008",
        () -> sql.texts("select * from tasker.calculate_dependency_levels(?)", task.uuid()));
    sql.run("set statement_timeout = '20s'");
    assertThat(sql.texts("select step_name from tasker.get_step_transitive_dependencies(?)",
        task.step("s3"))).containsExactly("s2", "s1");
    assertThat(sql.texts("select step_name from tasker.get_step_transitive_dependencies(?)",
        task.step("s1"))).isEmpty();
  }
}
