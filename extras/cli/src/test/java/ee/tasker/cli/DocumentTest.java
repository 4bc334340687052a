package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * {@code docs/cli.md} has every command with its examples, and every exit status. {@code
 * -Ddocs.write=true} writes the list of commands anew.
 */
class DocumentTest {
  private static final Path DOCUMENT = Path.of("../../docs/cli.md");
  private static final String BEGIN = "<!-- commands: written by DocumentTest -->\n";
  private static final String END = "<!-- end of commands -->\n";
  /** The program at the beginning of a command, with what is typed for it. */
  private static final Pattern USE = Pattern
      .compile("(?:^|[$;|&(] *)tasker ([a-z-][^|;&#<>]*)");

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

  /** In code of the documents, of the READMEs, and in their blocks: command, options, no others. */
  @Test
  void commands_and_options_that_pages_name_exist() throws IOException {
    CommandLine tasker = new Tasker(Terminal.ofProcess()).everything();
    List<String> wrong = new ArrayList<>();
    int uses = 0;
    for (Path page : pages()) {
      for (String code : code(Files.readString(page))) {
        for (MatchResult use : USE.matcher(code.replaceAll("\"[^\"]*\"|'[^']*'", "_")).results()
            .toList()) {
          uses++;
          List<String> words = List.of(use.group(1).split(" +"));
          CommandLine command = tasker;
          int at = 0;
          while (at < words.size() && command.getSubcommands().containsKey(words.get(at))) {
            command = command.getSubcommands().get(words.get(at++));
          }
          CommandLine typed = command;
          Stream.concat(at == 0 ? Stream.of(words.get(0)) : Stream.empty(),
              words.stream().filter(word -> word.matches("--?[a-z].*"))
                  .map(word -> word.replaceAll("[=.,;].*", ""))
                  .filter(option -> !option.equals("--last")
                      && !typed.getCommandSpec().optionsMap().containsKey(option)))
              .filter(word -> !word.equals("--help"))
              .forEach(word -> wrong.add(page + ": " + word + " in " + code));
          if (at == 1 && !typed.getSubcommands().isEmpty() && words.size() > 1
              && words.get(1).matches("[a-z][a-z-]*")) {
            wrong.add(page + ": " + words.get(1) + " in " + code);
          }
        }
      }
    }
    assertThat(uses).isGreaterThan(150);
    assertThat(wrong).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(Path.of("../../README.md"),
        Path.of("../../CONTRIBUTING.md")));
    for (String folder : List.of("docs", "clients", "samples", "examples")) {
      try (Stream<Path> files = Files.walk(Path.of("../..", folder))) {
        files.filter(file -> file.toString().endsWith(".md"))
            .filter(file -> !file.toString().contains("node_modules")).forEach(pages::add);
      }
    }
    return pages;
  }

  private static List<String> code(String page) {
    List<String> code = new ArrayList<>();
    boolean isBlock = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith("```")) {
        isBlock = !isBlock;
      } else if (isBlock) {
        code.add(line);
      } else {
        Pattern.compile("`([^`]+)`").matcher(line).results()
            .forEach(span -> code.add(span.group(1)));
      }
    }
    return code;
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
