package ee.tasker.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * What the server's login lacks in its database, read before anything is tried, so that a missing
 * right is reported at once with the statement that grants it. The rules are in {@code
 * db/missing-grants.sql}.
 */
final class SchemaRights {
  private static final String QUESTION = "/db/missing-grants.sql";

  /** @param statement by which an administrator closes the gap */
  record Gap(String purpose, String problem, String statement) {
  }

  private final List<Gap> gaps;

  SchemaRights(List<Gap> gaps) {
    this.gaps = List.copyOf(gaps);
  }

  static SchemaRights of(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(question())) {
      List<Gap> gaps = new ArrayList<>();
      while (rows.next()) {
        gaps.add(new Gap(rows.getString(1), rows.getString(2), rows.getString(3)));
      }
      return new SchemaRights(gaps);
    } catch (SQLException e) {
      throw new IllegalStateException("the rights of the server's login cannot be read", e);
    }
  }

  private static String question() {
    try (InputStream file = SchemaRights.class.getResourceAsStream(QUESTION)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the application has no " + QUESTION, e);
    }
  }

  /**
   * Before the history of migrations is read.
   *
   * @throws IllegalStateException if the login cannot run a server on the schema that exists
   */
  void expectToServe() {
    expect("serve", "this server cannot use the schema", "");
  }

  /**
   * Before the first statement that changes the schema.
   *
   * @throws IllegalStateException if the login cannot apply it
   */
  void expectToMigrate(String pending) {
    expect("migrate", "this server cannot apply " + pending.replaceAll(",$", ""),
        " Or the owner of the schema applies them with psql: db/install.sql of this version.");
  }

  /** Whether the login could, if there were anything to apply. */
  boolean allowToMigrate() {
    return gaps.stream().noneMatch(gap -> gap.purpose().equals("migrate"));
  }

  private void expect(String purpose, String consequence, String otherwise) {
    List<Gap> missing = gaps.stream().filter(gap -> gap.purpose().equals(purpose)).toList();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(consequence + ": "
          + missing.stream().map(Gap::problem).collect(Collectors.joining(", "))
          + ". As an administrator of the database: "
          + missing.stream().map(Gap::statement).collect(Collectors.joining(" ")) + otherwise);
    }
  }
}
