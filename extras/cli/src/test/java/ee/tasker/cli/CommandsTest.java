package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.stream.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommandsTest {
  /** The page of the browser, and its sessions. */
  private static final Set<Operation> WITHOUT_COMMAND = Set.of(Operation.GET_LANDING_PAGE,
      Operation.SIGN_IN, Operation.SIGN_OUT);

  @Test
  void every_operation_has_a_command() {
    Set<Operation> called = new TreeSet<>(WITHOUT_COMMAND);
    Commands.all().forEach(command -> called.addAll(command.getValue().operations()));

    assertThat(java.util.EnumSet.allOf(Operation.class)).as("operations")
        .allSatisfy(operation -> assertThat(called).contains(operation));
    assertThat(Commands.all()).flatExtracting(command -> command.getValue().operations())
        .doesNotContainAnyElementsOf(WITHOUT_COMMAND);
  }

  @Test
  void every_parameter_and_member_of_the_interface_can_be_given() {
    Map<Operation, Set<String>> given = new EnumMap<>(Operation.class);
    for (var command : Commands.all()) {
      for (Operation operation : command.getValue().operations()) {
        given.computeIfAbsent(operation, none -> new TreeSet<>()).addAll(given(command.getValue()));
      }
    }
    given.forEach((operation, members) -> {
      assertThat(members).as("query parameters of %s", operation)
          .containsAll(OpenApi.DOCUMENT.query(operation));
      assertThat(members).as("members of %s", operation)
          .containsAll(OpenApi.DOCUMENT.members(operation));
    });
  }

  @Test
  void commands_send_nothing_that_the_interface_does_not_have() {
    for (var entry : Commands.all()) {
      Command command = entry.getValue();
      for (Arg arg : command.args()) {
        switch (arg.place()) {
          case QUERY -> assertThat(OpenApi.DOCUMENT.query(command.operations().get(0)))
              .as(entry.getKey()).contains(arg.member());
          case BODY -> assertThat(OpenApi.DOCUMENT.members(command.operations().get(0)))
              .as(entry.getKey()).contains(arg.member());
          case PATH -> assertThat(command.operations().get(0).path()).as(entry.getKey())
              .contains("{" + arg.member() + "}");
          case LOCAL -> {
            // What it becomes is checked by the examples.
          }
        }
      }
    }
  }

  @Test
  void what_the_interface_requires_the_command_requires() {
    for (var entry : Commands.all()) {
      Command command = entry.getValue();
      if (command.operations().isEmpty()) {
        continue;
      }
      Operation operation = command.operations().get(0);
      Set<String> sure = new TreeSet<>(command.constants().keySet());
      for (Arg arg : command.args()) {
        if (arg.isRequired() || arg.isActor() || arg.place() == Arg.Place.LOCAL) {
          sure.add(arg.member());
          sure.add(arg.member().replaceAll("\\..*", ""));
          sure.addAll(arg.covers());
        }
      }
      Set<String> required = new TreeSet<>(OpenApi.DOCUMENT.requiredMembers(operation));
      required.addAll(OpenApi.DOCUMENT.requiredQuery(operation));
      // A bulk action asks for one filter of many, and a context may be empty.
      required.removeAll(Set.of("filter", "context"));
      assertThat(sure).as(entry.getKey()).containsAll(required);
    }
  }

  @Test
  void words_that_a_parameter_is_limited_to_are_those_of_the_interface() throws IOException {
    JsonObjectBuilder all = Json.createObjectBuilder();
    for (Operation operation : Operation.values()) {
      JsonObjectBuilder words = Json.createObjectBuilder();
      Stream.of(OpenApi.DOCUMENT.path(operation), OpenApi.DOCUMENT.query(operation),
          OpenApi.DOCUMENT.members(operation))
          .flatMap(Set::stream).sorted()
          .filter(member -> !OpenApi.DOCUMENT.words(operation, member).isEmpty())
          .forEach(member -> words.add(member,
              Json.createArrayBuilder(OpenApi.DOCUMENT.words(operation, member))));
      JsonObject limited = words.build();
      if (!limited.isEmpty()) {
        all.add(operation.id(), limited);
      }
    }
    StringWriter text = new StringWriter();
    Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true)).createWriter(text)
        .write(all.build());
    Path file = Path.of("src/main/resources/ee/tasker/cli/words.json");
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(file, text + "\n");
    }

    assertThat(file).as("after a change of it: -Ddocs.write=true").hasContent(text + "\n");
    assertThat(Words.of(Operation.LIST_TASKS, "order")).containsExactly("newest", "oldest");
  }

  @Test
  void words_for_commands_of_a_group_are_different() {
    for (Commands.Group group : Commands.groups()) {
      assertThat(group.commands().get()).flatExtracting(command -> {
        List<String> words = new ArrayList<>(command.aliases());
        words.add(command.name());
        return words;
      }).as(group.name()).doesNotHaveDuplicates();
    }
  }

  @Test
  void every_command_is_described_and_has_examples() {
    for (var entry : Commands.all()) {
      Command command = entry.getValue();
      assertThat(command.description()).as(entry.getKey()).endsWith(".");
      assertThat(command.examples()).as(entry.getKey()).isNotEmpty()
          .allMatch(example -> example.contains("tasker " + entry.getKey()));
      assertThat(command.args()).as(entry.getKey())
          .allSatisfy(arg -> assertThat(arg.description()).endsWith("."));
    }
  }

  private static Set<String> given(Command command) {
    Set<String> given = new TreeSet<>(command.constants().keySet());
    for (Arg arg : command.args()) {
      given.add(arg.member());
      given.addAll(arg.covers());
    }
    if (command.operations().contains(Operation.CHANGE_USER)) {
      // tasker user enable and disable.
      given.add("enabled");
    }
    return given;
  }
}
