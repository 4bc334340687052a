package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/cli.md} has every command with its examples, and every exit status. {@code
 * -Ddocs.write=true} writes the list of commands anew.
 */
class DocumentTest {
  private static final Path DOCUMENT = Path.of("../../docs/cli.md");
  private static final String BEGIN = "<!-- commands: written by DocumentTest -->\n";
  private static final String END = "<!-- end of commands -->\n";

  @Test
  void commands_are_in_the_document() throws IOException {
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);
    if (Boolean.getBoolean("docs.write")) {
      document = document.substring(0, begin) + commands() + document.substring(end);
      Files.writeString(DOCUMENT, document);
      end = document.indexOf(END);
    }
    assertThat(document.substring(begin, end))
        .as("write it anew with ./mvnw test -pl extras/cli -am -Dtest=DocumentTest -Ddocs.write=true")
        .isEqualTo(commands());
  }

  @Test
  void exit_statuses_are_in_the_document() throws Exception {
    String document = Files.readString(DOCUMENT);
    for (var status : Exit.class.getDeclaredFields()) {
      assertThat(document).as(status.getName()).contains("| " + status.getInt(null) + " | ");
    }
  }

  private static String commands() {
    StringBuilder text = new StringBuilder();
    for (Commands.Group group : Commands.groups()) {
      text.append("\n### ").append(group.name().isEmpty() ? "General" : "tasker " + group.name())
          .append("\n\n");
      if (!group.description().isEmpty()) {
        text.append(group.description()).append("\n\n");
      }
      text.append("| Command | Does | Options |\n|---|---|---|\n");
      for (Command command : group.commands().get()) {
        text.append("| `").append(group.name().isEmpty() ? "" : group.name() + " ")
            .append(command.name())
            .append(words(command, true)).append("` | ").append(command.description())
            .append(command.aliases().isEmpty() ? ""
                : " Also `" + String.join("`, `", command.aliases()) + "`.")
            .append(" | ")
            .append(words(command, false))
            .append(" |\n");
      }
      text.append("\n```\n");
      group.commands().get().forEach(
          command -> command.examples().forEach(example -> text.append(example).append('\n')));
      text.append("```\n");
    }
    return text.append('\n').toString();
  }

  private static String words(Command command, boolean positional) {
    Stream<Arg> args = command.args().stream().filter(arg -> arg.isPositional() == positional);
    return positional
        ? args
            .map(arg -> " " + (arg.isRequired() ? arg.label() : "[" + arg.label() + "]")
                + (arg.isMany() ? "…" : ""))
            .collect(Collectors.joining())
        : args
            .map(arg -> "`" + String.join("`, `", arg.names()) + "`"
                + (arg.isRequired() ? " (required)" : ""))
            .collect(Collectors.joining(", "));
  }
}
