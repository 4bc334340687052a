package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Functions are installed without checking their bodies, so that the files of {@code
 * db/routine} need no order. Here every function is
 * created a second time with the check: a body of language sql is read to the last name and type,
 * one of plpgsql for its syntax.
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

  /**
   * An instant by its name. What makes a text of it in a format of its own may stand in a sentence.
   */
  private static final Pattern INSTANT = Pattern.compile("\\b[a-z_.]*(_at|_since|v_now)\\b");
  private static final Pattern FORMATTED = Pattern.compile("(to_char|to_jsonb)\\([^()]*\\)");

  private final Sql sql = Sql.session();

  @Test
  void sentences_with_instants_do_not_follow_the_session() {
    List<String> offenders = new ArrayList<>();
    int sentences = 0;
    for (Map<String, Object> function : sql.rows(
        """
        select p.proname as name, p.prosrc as body, coalesce(p.proconfig::text, '') as settings
        from pg_proc p where p.pronamespace = 'tasker'::regnamespace and p.prokind = 'f' order by p.proname""")) {
      boolean hasInstant = sentences(function.get("body").toString()).stream()
          .anyMatch(sentence -> INSTANT.matcher(sentence).find());
      String settings = function.get("settings").toString().toLowerCase(Locale.ROOT);
      sentences += hasInstant ? 1 : 0;
      if (hasInstant
          && !(settings.contains("datestyle=iso") && settings.contains("timezone=utc"))) {
        offenders.add(function.get("name").toString());
      }
    }
    assertThat(sentences).as("functions with such sentences").isGreaterThan(4);
    assertThat(offenders).as("set timezone = 'UTC' set datestyle = 'ISO'").isEmpty();
  }

  /**
   * The arguments of format(), without texts in quotation marks, comments and conditions of a case.
   */
  private static List<String> sentences(String body) {
    String code = body.replaceAll("--[^\n]*", "").replaceAll("(?s)(\\$[a-z]*\\$).*?\\1", "''")
        .replaceAll("'[^']*'", "''");
    List<String> found = new ArrayList<>();
    for (int at = code.indexOf("format("); at >= 0; at = code.indexOf("format(", at + 1)) {
      int end = at + "format(".length();
      for (int open = 1; open > 0 && end < code.length(); end++) {
        open += code.charAt(end) == '(' ? 1 : code.charAt(end) == ')' ? -1 : 0;
      }
      found.add(FORMATTED.matcher(code.substring(at, end)).replaceAll("")
          .replaceAll("(?s)\\bwhen\\b.*?\\bthen\\b", ""));
    }
    return found;
  }

  @Test
  void every_body_is_valid() {
    sql.run(REFUSED);
    assertThat(
        sql.number("select count(*) from pg_proc p where p.pronamespace = 'tasker'::regnamespace")
            .intValue())
        .isGreaterThan(200);

    assertThat(sql.texts("select pg_temp.refused_bodies()")).isEmpty();
    sql.rollback();
  }

  @Test
  void a_body_that_names_what_does_not_exist_is_found() {
    sql.run(REFUSED);
    sql.run("set local check_function_bodies = off");
    sql.run(
        "create function tasker.misnamed() returns bigint language sql as 'select count(*) from tasker.no_such_table'");
    sql.run(
        "create function tasker.misspelt() returns int language plpgsql as $$ begin retrun 1; end $$");

    assertThat(sql.texts("select pg_temp.refused_bodies()")).satisfiesExactly(
        first -> assertThat(first).startsWith("misnamed: ").contains("no_such_table"),
        second -> assertThat(second).startsWith("misspelt: ").contains("retrun"));
    sql.rollback();
  }
}
