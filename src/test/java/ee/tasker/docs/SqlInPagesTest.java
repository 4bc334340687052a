package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL accepts each statement that a page shows: the functions take these arguments, the
 * tables and results have these columns. Nothing is executed.
 */
@DatabaseTest
class SqlInPagesTest {
  private static final String REFUSAL = """
      create function pg_temp.refusal(p_statement text) returns text language plpgsql as $f$
      begin
        execute 'prepare of_a_page as ' || p_statement;
        execute 'deallocate of_a_page';
        return null;
      exception when others then
        return sqlerrm;
      end $f$""";
  private static final Pattern BLOCK = Pattern.compile("(?s)```sql\n(.*?)```");
  /** Not prepared: what changes roles and tables, and what a reader's own table gets. */
  private static final Pattern OTHER = Pattern
      .compile("(?is)^(create|grant|alter|drop|begin|commit|rollback|\\\\|insert into bookings).*");

  private final Sql sql = Sql.session();

  @Test
  void statements_in_pages_are_accepted() {
    sql.run(REFUSAL);
    List<String> refused = new ArrayList<>();
    int prepared = 0;
    for (Path page : pages()) {
      for (String statement : statements(text(page))) {
        prepared++;
        String refusal = sql.text("select pg_temp.refusal(?)", statement);
        if (refusal != null) {
          refused.add(page + ": " + refusal + ": " + statement);
        }
      }
    }
    assertThat(refused).isEmpty();
    assertThat(prepared).isGreaterThan(70);
  }

  private static List<Path> pages() {
    return Stream.concat(Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")),
        Stream.of("docs", "samples", "examples")
            .flatMap(folder -> files(Path.of(folder), ".md").stream()))
        .filter(page -> !page.startsWith(Path.of("docs", "adr"))).toList();
  }

  /** With null for psql's variables and for what the reader puts in. */
  private static List<String> statements(String page) {
    return BLOCK.matcher(page).results().map(block -> block.group(1)
        .replaceAll("--[^\n]*", "").replaceAll("(?m)^ERROR:.*$", "")
        .replaceAll("\\bas \\w+ \\\\gset|\\\\gset", ";")
        .replaceAll("'[^']*…[^']*'|:'\\w+'", "null")
        .replace("pgmq.q_worker_linear_queue", "pgmq.q_orchestration_task_requests"))
        .flatMap(block -> Stream.of(block.split(";"))).map(String::strip)
        .filter(statement -> !statement.isEmpty() && !OTHER.matcher(statement).matches())
        .toList();
  }
}
