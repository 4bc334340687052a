package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * The rows that are written without the engine are those that it writes; the annotation checks
 * after each test that the promises hold for them as well.
 */
@DatabaseTest
class RowsAloneTest {
  private static final String LIVES = """
      do $$
      declare
        v_steps uuid[] := array(select n.named_step_uuid from tasker.named_tasks_named_steps n
                                order by n.step_position);
        v_template uuid := (select named_task_uuid from tasker.named_tasks);
        v_server uuid := gen_random_uuid();
        v_one record;
        v_many record;
      begin
        v_one := rows_alone.submit(v_template, v_steps, v_server);
        v_many := rows_alone.submit_many(v_template, v_steps, v_server, 3);
        for p in 1..4 loop
          perform rows_alone.complete(v_one.o_task, v_one.o_keys[p],
            case when p < 4 then v_one.o_keys[p + 1] end, v_server);
          perform rows_alone.complete_many(v_many.o_tasks,
            array(select v_many.o_keys[4 * n - 4 + p] from generate_series(1, 3) n order by n),
            case when p < 4 then
              array(select v_many.o_keys[4 * n - 3 + p] from generate_series(1, 3) n order by n) end,
            v_server);
        end loop;
      end $$""";

  @Test
  void rows_alone_are_those_of_finished_tasks_with_their_whole_history() throws IOException {
    Dag.linear(4).registered();
    try (Sql sql = Sql.open();
        InputStream script = RowsAlone.class.getResourceAsStream("/benchmark/rows_alone.sql")) {
      sql.run(new String(script.readAllBytes(), StandardCharsets.UTF_8));
      try {
        sql.run(LIVES);
      } finally {
        sql.run("drop schema rows_alone cascade");
      }
      assertThat(sql.texts("select distinct state from tasker.tasks")).containsExactly("complete");
      assertThat(sql.number("select count(*) from tasker.task_transitions")).isEqualTo(4 * 6);
      assertThat(sql.number("select count(*) from tasker.workflow_step_transitions"))
          .isEqualTo(4 * 4 * 5);
    }
  }
}
