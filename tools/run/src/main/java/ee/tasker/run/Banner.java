package ee.tasker.run;

import java.nio.file.Files;
import java.util.Locale;
import java.util.Optional;

/** What the terminal shows once the server is ready. */
final class Banner {

  private Banner() {}

  /** @param valid whether the server accepted that login */
  static String of(RunSettings settings, Optional<DevProject> project, Login login, boolean valid,
      long seconds) {
    var home = "http://localhost:" + settings.httpPort();
    var database = settings.database();
    var lines = new StringBuilder("\n");
    var rule = "-".repeat(78) + "\n";
    lines.append(rule);
    lines.append("  Tasker EE is ready on ").append(settings.server().title()).append(" (")
        .append(seconds).append(" s)\n\n");
    line(lines, "Start here", home + "/");
    line(lines, "API", home + "/v1");
    line(lines, "OpenAPI", home + "/openapi");
    line(lines, "Health", home + "/health");
    line(lines, "Database", database.jdbcUrl());
    line(lines, "", "user " + database.user()
        + (settings.embedded() ? ", password " + database.password() : ", given by DB_HOST"));
    if (settings.embedded())
      line(lines, "", "data are kept in .tasker/postgres-"
          + settings.postgresVersion().replaceAll("\\..*", ""));
    if (valid) {
      line(lines, "Login", "user " + login.name() + ", password " + login.password());
      line(lines, "", "kept in .tasker/login, which only you can read");
    } else {
      line(lines, "Login",
          "by a user that this database had already; .tasker/login has none of them.");
      line(lines, "",
          "No password known? In psql: select tasker.create_user('ann', p_role => 'admin');");
    }
    var curl = "curl " + (valid ? "-K .tasker/login" : "-u <user>:<password>");
    boolean hasSamples = project.isEmpty()
        || project.get().templates().equals(settings.checkout().resolve("samples"));
    lines.append(hasSamples ? "\n  A first task" : "\n  The templates of your application")
        .append(", from another terminal in this folder:\n\n");
    lines.append("  ")
        .append(hasSamples ? firstTask(settings, curl, home) : curl + " " + home + "/v1/templates")
        .append("\n\n");
    lines.append("  Ctrl-C stops everything.\n");
    return lines.append(rule).toString();
  }

  private static String firstTask(RunSettings settings, String curl, String home) {
    var post = curl + " -i -H 'Content-Type: application/json' " + home + "/v1/tasks -d ";
    return Files.exists(settings.checkout().resolve("samples/linear/request.json"))
        ? post + "@samples/linear/request.json"
        : post
            + "'{\"namespace\":\"linear\",\"name\":\"mathematical_sequence\",\"version\":\"1.0.0\",\"context\":{\"even_number\":6}}'";
  }

  private static void line(StringBuilder lines, String name, String value) {
    lines.append(String.format(Locale.ROOT, "  %-12s %s%n", name, value));
  }
}
