package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What grows with the square of the steps takes sixteen times as long for four times as many steps.
 * The least of some tries is compared, so that a busy machine does not decide.
 */
@DatabaseTest
@Timeout(240)
class RegisterTemplateTest {
  private static final int FEW = 1_000;
  private static final int MANY = 4 * FEW;
  private static final double MOST_TIMES = 9;
  private static final int MOST_TRIES = 12;

  private static final String CHAIN = """
      select jsonb_agg(jsonb_build_object('name', 's' || n, 'handler', '{"callable": "h"}'::jsonb,
        'dependencies', case when n = 1 then '[]' else jsonb_build_array('s' || n - 1) end) order by n)
      from generate_series(1, ?) n""";
  private static final String BATCHES = """
      select jsonb_agg(s.step order by n, s.place) from generate_series(1, ? / 2) n
      cross join lateral (values
        (1, jsonb_build_object('name', 'b' || n, 'type', 'batchable', 'handler', '{"callable": "h"}'::jsonb,
                               'batch_config', jsonb_build_object('parallelism', n))),
        (2, jsonb_build_object('name', 'w' || n, 'type', 'batch_worker', 'handler', '{"callable": "h"}'::jsonb,
                               'dependencies', jsonb_build_array('b' || n)))) s(place, step)""";

  private final Sql sql = Sql.open();

  private String template(String steps, int size) {
    return sql
        .text("select jsonb_build_object('namespace_name', 'large', 'name', 'large', 'version',"
            + " '1.0.0', 'content_hash', 'h', 'steps', (" + steps + "))::text", size);
  }

  private static double secondsToRegister(String template) {
    try (Sql session = Sql.session()) {
      long start = System.nanoTime();
      assertThat(session.object("select tasker.register_template(?::jsonb)", template)
          .getString("outcome")).isEqualTo("registered");
      double seconds = (System.nanoTime() - start) / 1e9;
      session.rollback();
      return seconds;
    }
  }

  /**
   * In turns, because a machine is busier at one time than at another: the quickest of each size
   * are compared, and only a growth that is too steep stays so however often it is tried.
   */
  private void growsWithTheSteps(String steps) {
    String small = template(steps, FEW);
    String large = template(steps, MANY);
    double few = Double.MAX_VALUE;
    double many = Double.MAX_VALUE;
    int tries = 0;
    do {
      few = Math.min(few, secondsToRegister(small));
      many = Math.min(many, secondsToRegister(large));
    } while (many / few >= MOST_TIMES && ++tries < MOST_TRIES);

    assertThat(many / few).as("%.3f s for %d, %.3f s for %d steps", many, MANY, few, FEW)
        .isLessThan(MOST_TIMES);
  }

  @Test
  void a_chain_of_four_times_the_steps_takes_about_four_times_as_long() {
    growsWithTheSteps(CHAIN);
  }

  @Test
  void so_do_batches() {
    growsWithTheSteps(BATCHES);
  }

  @Test
  void a_worker_has_the_settings_of_its_own_batchable_step() {
    String template = template(BATCHES, 6);
    try (Sql session = Sql.session()) {
      session.object("select tasker.register_template(?::jsonb)", template);

      assertThat(session.texts("""
          select n.name || ' ' || (s.batch ->> 'parallelism')
          from tasker.named_tasks_named_steps s join tasker.named_steps n using (named_step_uuid)
          where s.step_type = 'batch_worker' and n.name ~ '^w[0-9]' order by s.step_position"""))
          .containsExactly("w1 1", "w2 2", "w3 3");
      session.rollback();
    }
  }
}
