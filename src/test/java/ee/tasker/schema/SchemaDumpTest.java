package ee.tasker.schema;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/**
 * {@code db/schema.sql} is what the migrations make. {@code -Dschema.write=true} writes it anew
 * instead of comparing.
 */
@DatabaseTest
class SchemaDumpTest {
  @Test
  void the_dump_in_the_sources_is_what_the_migrations_make() throws IOException {
    String made = SchemaDump.of(Sql.open());
    if (Boolean.getBoolean("schema.write")) {
      Files.writeString(SchemaDump.FILE, made);
    }

    assertThat(Files.readAllLines(SchemaDump.FILE))
        .as("db/schema.sql; write it anew with ./mvnw test -pl src -am -Dtest=SchemaDumpTest -Dschema.write=true")
        .containsExactlyElementsOf(made.lines().toList());
  }

  @Test
  void a_column_an_index_and_a_function_that_the_file_does_not_have_are_seen() {
    Sql sql = Sql.session();
    String before = SchemaDump.of(sql);
    sql.run("alter table tasker.tasks add column colour text");
    sql.run("create index tasks_colour_idx on tasker.tasks (colour)");
    sql.run("create function tasker.paint() returns int language sql as 'select 1'");
    String after = SchemaDump.of(sql);
    sql.rollback();

    assertThat(before).doesNotContain("colour", "paint");
    assertThat(after.lines()).contains("  colour                text,",
        "CREATE INDEX tasks_colour_idx ON tasker.tasks USING btree (colour);",
        "function tasker.paint() returns integer;");
  }
}
