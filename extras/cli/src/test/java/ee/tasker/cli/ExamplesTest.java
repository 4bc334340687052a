package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every example of the documents against a server that answers as the OpenAPI document says,
 * and compares the requests with that.
 */
class ExamplesTest {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|([^\\s'\"]+)");
  private static final String CONTEXT_STEP = "text of name";

  @TempDir
  private Path folder;

  static Stream<String> examples() {
    // "check" speaks to a database, and "samples" needs a server that runs tasks: CliIT runs them.
    // "convert" reads files and calls nothing: ConvertTest runs it.
    return Commands.all().stream()
        .filter(command -> !List.of("check", "samples", "convert").contains(command.getKey()))
        .flatMap(command -> command.getValue().examples().stream());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_sends_what_the_interface_takes(String example) throws IOException {
    try (Program program = new Program(folder.resolve("configuration"))) {
      if (example.contains("login")) {
        program.environment.remove("TASKER_KEY");
      }
      if (example.startsWith("tasker profile") || example.startsWith("tasker logout")) {
        program.environment.remove("TASKER_KEY");
        for (String profile : List.of("prod", "default")) {
          assertThat(program.runWith("tkr_key", "login", "--profile", profile, "--stdin")).isZero();
        }
      }
      program.answers.put(Operation.GET_OPEN_API, OpenApi.DOCUMENT.text());
      // The step of the example is there.
      Matcher step = Pattern.compile("step \\w+ [0-9a-f-]{36} (\\w+)").matcher(example);
      if (step.find()) {
        program.answers.put(Operation.LIST_STEPS,
            OpenApi.DOCUMENT.answer(Operation.LIST_STEPS).replace(CONTEXT_STEP, step.group(1)));
      }
      program.answers.put(Operation.LIST_USERS,
          OpenApi.DOCUMENT.answer(Operation.LIST_USERS).replace(CONTEXT_STEP, "ann"));
      program.answers.put(Operation.LIST_TEMPLATES,
          OpenApi.DOCUMENT.answer(Operation.LIST_TEMPLATES).replace(CONTEXT_STEP,
              "mathematical_sequence"));
      program.answers.put(Operation.GET_TASK,
          OpenApi.DOCUMENT.answer(Operation.GET_TASK).replace("\"pending\"", "\"complete\""));
      String text = OpenApi.DOCUMENT.answer(Operation.SUBMIT_TASKS).replace("\"status\":7",
          "\"status\":201");
      program.answers.put(Operation.SUBMIT_TASKS, text);
      // The task whose UUID the example begins.
      program.answers.put(Operation.LIST_TASKS, OpenApi.DOCUMENT.answer(Operation.LIST_TASKS)
          .replaceFirst("\"task_uuid\":\"[^\"]*\"",
              "\"task_uuid\":\"01a1fc6e-c2c5-70dd-8baf-9fc43ba29188\""));
      if (example.startsWith("tasker bench")) {
        program.answers.put(Operation.SUBMIT_TASK,
            OpenApi.DOCUMENT.answer(Operation.SUBMIT_TASK).replace("\"pending\"", "\"complete\""));
      }
      program.requests.clear();

      int status = program.runWith(example.contains("--user") || example.contains("password")
          ? "a long password\n" : "tkr_key\n", words(example, program.url()));

      assertThat(status).as("%s%n%s", program.out, program.err).isEqualTo(Exit.DONE);
      assertThat(program.requests).allSatisfy(request -> {
        assertThat(OpenApi.DOCUMENT.query(request.operation()))
            .containsAll(request.query().keySet());
        assertThat(request.query().keySet())
            .containsAll(OpenApi.DOCUMENT.requiredQuery(request.operation()));
        assertThat(OpenApi.DOCUMENT.complaints(request.operation(), request.body())).isEmpty();
      });
      Command command = command(example);
      if (!command.operations().isEmpty() && !example.contains("--dry-run")
          && !example.contains("--probe")
          && !example.startsWith("tasker template diff")
          && !example.startsWith("tasker template graph samples/")) {
        assertThat(program.requests).extracting(Program.Request::operation)
            .contains(command.operations().get(0));
      }
    }
  }

  /** The longest name of a command that the example begins with. */
  private static Command command(String example) {
    String rest = example.substring(example.indexOf("tasker ") + 7);
    return Commands.all().stream()
        .filter(command -> (rest + " ").startsWith(command.getKey() + " ")
            || rest.startsWith(command.getKey() + ")"))
        .max(java.util.Comparator.comparingInt(command -> command.getKey().length()))
        .map(Map.Entry::getValue).orElseThrow();
  }

  /** As a shell would split it, with files and addresses that are there. */
  private String[] words(String example, String url) throws IOException {
    String line = example.replace("tasker init shop", "tasker init " + folder.resolve("shop"))
        .replaceAll("^source <\\((.*)\\)$", "$1")
        .replaceAll(" [<>] .*", "").replace("https://tasker.example.org", url)
        .replace("samples/", "../../samples/")
        .replace(".tasker/login", file("login", "user = \"admin:secret\"\n"))
        .replace("@order.json", "@" + file("order.json", "{\"order_id\": 17}"))
        .replace("requests.json",
            file("requests.json", "[{\"namespace\": \"a\", \"name\": \"b\", \"context\": {}}]"));
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line.replaceFirst("^tasker ", ""));
    while (word.find()) {
      words.add(word.group(1) != null ? word.group(1)
          : word.group(2) != null ? word.group(2) : word.group(3));
    }
    if (example.contains("--user")) {
      words.add("--stdin");
    }
    if (example.startsWith("tasker user password")) {
      words.add("--stdin");
    }
    return words.stream()
        .filter(each -> !(example.startsWith("tasker grant add") && each.equals("--stdin")))
        .toArray(String[]::new);
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }
}
