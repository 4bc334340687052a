package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

@DatabaseTest
class DatabaseKeyTest {

  @Test
  void the_first_key_of_a_moment_parts_the_tasks_before_it_from_those_after() {
    try (Sql sql = Sql.open()) {
      Dag.linear(1).started();
      Dag.linear(1).started();
      sql.run("select pg_sleep(0.005)");
      var between = sql.instant("select clock_timestamp()").atOffset(ZoneOffset.UTC);
      Dag.linear(1).started();

      String after = "select count(*) from tasker.tasks where task_uuid >= ?";
      assertThat(sql.number(after, Database.keyFrom(between))).isEqualTo(1);
      assertThat(sql.number(after, Database.keyFrom(between.minusHours(1)))).isEqualTo(3);
      assertThat(sql.number(after, Database.keyFrom(between.plusHours(1)))).isZero();
    }
  }
}
