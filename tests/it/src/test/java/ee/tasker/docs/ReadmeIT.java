package ee.tasker.docs;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Does what the README tells a new user to do, in a folder that has only what git has: each command
 * as it stands, except for the
 * addresses of the server and of its database. The commands of the command line are run by {@code
 * CliIT}.
 */
@AgainstServer
class ReadmeIT {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  private static final Pattern TASK = Pattern.compile("\"task_uuid\":\"([0-9a-f-]{36})\"");

  private final TaskerClient tasker;
  private final Readme readme = Readme.in(CHECKOUT);
  private String task;

  @TempDir
  private Path clone;

  ReadmeIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  /** What a clone would have once the changes of this checkout are committed. */
  @BeforeEach
  void clone_the_files_that_a_reader_uses() throws Exception {
    for (String file : run(CHECKOUT, "git ls-files samples", "").lines().toList()) {
      Path copy = clone.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(CHECKOUT.resolve(file), copy);
    }
    Files.createDirectory(clone.resolve(".tasker"));
    Files.writeString(clone.resolve(".tasker/login"),
        "user = \"" + Login.FOR_TESTS.name() + ":" + Login.FOR_TESTS.password() + "\"\n");
  }

  @Test
  void first_task_is_submitted_and_its_results_are_read() throws Exception {
    List<Readme.Block> blocks = readme.blocks("Your first task");

    followed(blocks.get(0), blocks.get(1));

    assertThat(blocks.get(2).text()).startsWith("psql ");
    assertThat(blocks.get(3).language()).isEqualTo("sql");
    String sql = blocks.get(3).text().replaceFirst("[0-9a-f-]{36}", task);
    List<List<String>> shown = blocks.get(4).text().lines().filter(line -> line.contains("|"))
        .map(line -> List.of(line.strip().split("\\s*\\|\\s*"))).toList();
    // A machine without psql has the database's answer all the same.
    assertThat(tasker.sql(sql.strip().replaceAll(";$", "")))
        .extracting(row -> row.values().stream().map(String::valueOf).toList())
        .isEqualTo(shown.subList(1, shown.size()));
    if (!run(clone, "command -v psql || true", "").isBlank()) {
      assertThat(run(clone, blocks.get(2).commands().get(0), sql))
          .matches(Readme.printed(blocks.get(4).text()));
    }
  }

  @Test
  void sql_submits_the_same_task() {
    Matcher statement = Pattern.compile("`(select tasker\\.submit_task\\([^`]+\\));`")
        .matcher(readme.text());

    assertThat(statement.find()).isTrue();
    assertThat(tasker.sql(statement.group(1))).hasSize(1);
  }

  @Test
  void first_workflow_is_in_the_repository_and_runs_as_it_is() throws Exception {
    List<Readme.Block> blocks = readme.blocks("Your first workflow");
    assertThat(named("The template, `([^`]+)`:")).hasContent(blocks.get(0).text());
    assertThat(named("The handler, `([^`]+)`:")).hasContent(blocks.get(1).text());

    followed(blocks.get(2), blocks.get(3));

    assertThat(readme.text())
        .contains("Send the same request again and the server answers 409 with the first task");
    assertThat(run(clone, blocks.get(2).commands().get(0), "")).contains("\"status\":409",
        "\"location\":\"/v1/tasks/" + task + "\"");
  }

  private Path named(String where) {
    Matcher found = Pattern.compile(where).matcher(readme.text());
    assertThat(found.find()).as(where).isTrue();
    return clone.resolve(found.group(1));
  }

  /** Runs the commands one after the other; the last prints what the README shows. */
  private void followed(Readme.Block commands, Readme.Block shown) throws Exception {
    String printed = "";
    for (String command : commands.commands()) {
      printed = run(clone, command, "");
      task = TASK.matcher(printed).results().map((MatchResult found) -> found.group(1)).findFirst()
          .orElse(task);
    }
    assertThat(printed).matches(Readme.printed(shown.text()));
  }

  private String run(Path folder, String command, String input)
      throws IOException, InterruptedException {
    String typed = command.replace("http://localhost:8080", tasker.base().toString())
        .replace("-p 54320", "-p " + tasker.count("select inet_server_port()"))
        .replace("<task_uuid>", String.valueOf(task));
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", typed).directory(folder.toFile())
        .redirectInput(
            Files.writeString(Files.createTempFile(clone, "input", null), input).toFile());
    builder.environment().put("PGPASSWORD", "tasker");
    Path errors = Files.createTempFile(clone, "errors", null);
    Process process = builder.redirectError(errors.toFile()).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(typed).isTrue();
    assertThat(process.exitValue()).as(typed + ": " + Files.readString(errors)).isZero();
    return printed;
  }
}
