package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import org.junit.jupiter.api.Test;

/**
 * Migrations create functions without checking their bodies, so that the files of {@code db/routine} need no order. Here every function is
 * created a second time with the check: a body of language sql is read to the last name and type, one of plpgsql for its syntax.
 */
@DatabaseTest
class FunctionBodiesTest {
  /** The functions whose bodies are refused, each with what is wrong. */
  private static final String REFUSED = """
      create function pg_temp.refused_bodies() returns setof text language plpgsql as $f$
      declare
        v_function record;
      begin
        set local check_function_bodies = on;
        for v_function in
          select p.proname, pg_get_functiondef(p.oid) as definition from pg_proc p
          where p.pronamespace = 'tasker'::regnamespace and p.prokind = 'f' order by p.proname
        loop
          begin
            execute v_function.definition;
          exception when others then
            return next v_function.proname || ': ' || sqlerrm;
          end;
        end loop;
      end $f$""";

  private final Sql sql = Sql.session();

  @Test
  void every_body_is_valid() {
    sql.run(REFUSED);
    assertThat(sql.number("select count(*) from pg_proc p where p.pronamespace = 'tasker'::regnamespace").intValue()).isGreaterThan(200);

    assertThat(sql.texts("select pg_temp.refused_bodies()")).isEmpty();
    sql.rollback();
  }

  @Test
  void a_body_that_names_what_does_not_exist_is_found() {
    sql.run(REFUSED);
    sql.run("set local check_function_bodies = off");
    sql.run("create function tasker.misnamed() returns bigint language sql as 'select count(*) from tasker.no_such_table'");
    sql.run("create function tasker.misspelt() returns int language plpgsql as $$ begin retrun 1; end $$");

    assertThat(sql.texts("select pg_temp.refused_bodies()")).satisfiesExactly(
        first -> assertThat(first).startsWith("misnamed: ").contains("no_such_table"),
        second -> assertThat(second).startsWith("misspelt: ").contains("retrun"));
    sql.rollback();
  }
}
