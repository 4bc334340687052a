package ee.tasker.run;

import java.nio.file.Files;

/** What the terminal shows once the server is ready. */
final class Banner {

  private Banner() {}

  /** @param valid whether the server accepted that login */
  static String of(RunSettings settings, Login login, boolean valid, long seconds) {
    var home = "http://localhost:" + settings.httpPort();
    var database = settings.database();
    var lines = new StringBuilder("\n");
    var rule = "-".repeat(78) + "\n";
    lines.append(rule);
    lines.append("  Tasker EE is ready on ").append(settings.server().title()).append(" (").append(seconds).append(" s)\n\n");
    line(lines, "Start here", home + "/");
    line(lines, "API", home + "/v1");
    line(lines, "OpenAPI", home + "/openapi");
    line(lines, "Health", home + "/health");
    line(lines, "Database", database.jdbcUrl());
    line(lines, "", "user " + database.user() + (settings.embedded() ? ", password " + database.password() : ", given by DB_HOST"));
    if (settings.embedded())
      line(lines, "", "data are kept in .tasker/postgres-" + settings.postgresVersion().replaceAll("\\..*", ""));
    if (valid) {
      line(lines, "Login", "user " + login.name() + ", password " + login.password());
      line(lines, "", "kept in .tasker/login, which only you can read");
    } else {
      line(lines, "Login", "by a user that this database had already; .tasker/login has none of them.");
      line(lines, "", "No password known? In psql: select tasker.create_user('ann', p_role => 'admin');");
    }
    lines.append("\n  A first task, from another terminal in this folder:\n\n");
    lines.append("  ").append(firstTask(settings, valid ? "-K .tasker/login" : "-u <user>:<password>", home)).append("\n\n");
    lines.append("  Ctrl-C stops everything.\n");
    return lines.append(rule).toString();
  }

  private static String firstTask(RunSettings settings, String login, String home) {
    var post = "curl " + login + " -i -H 'Content-Type: application/json' " + home + "/v1/tasks -d ";
    return Files.exists(settings.checkout().resolve("samples/linear/request.json"))
        ? post + "@samples/linear/request.json"
        : post + "'{\"namespace\":\"linear\",\"name\":\"mathematical_sequence\",\"version\":\"1.0.0\",\"context\":{\"even_number\":6}}'";
  }

  private static void line(StringBuilder lines, String name, String value) {
    lines.append(String.format("  %-12s %s%n", name, value));
  }
}
