package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParseResult;

/** One run of a command: what was typed, where to print, and the server to ask. */
final class Invocation {
  private final ParseResult typed;
  private final Terminal terminal;
  private final Output output;
  private final Supplier<TaskerClient> client;
  private final Map<String, String> ids = new HashMap<>();
  private TaskerClient connected;

  Invocation(ParseResult typed, Terminal terminal, Output output, Supplier<TaskerClient> client) {
    this.typed = typed;
    this.terminal = terminal;
    this.output = output;
    this.client = client;
  }

  Terminal terminal() {
    return terminal;
  }

  Output output() {
    return output;
  }

  TaskerClient client() {
    if (connected == null) {
      connected = client.get();
    }
    return connected;
  }

  Command command() {
    return (Command) typed.commandSpec().userObject();
  }

  /** Prints the answer as the command shows it. */
  void print(JsonValue answer) {
    output.print(output.isForPrograms() ? answer : command().forPeople(this, answer),
        command().view());
  }

  CommandLine root() {
    CommandLine line = typed.commandSpec().commandLine();
    while (line.getParent() != null) {
      line = line.getParent();
    }
    return line;
  }

  /** What was typed for the option or positional parameter; the first, if it may be repeated. */
  Optional<String> text(String key) {
    return texts(key).stream().findFirst();
  }

  /** Sends a request with the idempotency key that was given, if any. */
  void useKey(Call call) {
    useKey(call, "");
  }

  /** {@code part} tells the requests of one command apart. */
  void useKey(Call call, String part) {
    text("--idempotency-key").ifPresent(key -> call.header("Idempotency-Key", key + part));
  }

  /** For a parameter that the command cannot do without. */
  String required(String key) {
    return text(key).orElseThrow(() -> new UsageException(key + " is required"));
  }

  List<String> texts(String key) {
    Object value = matched(key);
    if (value == null) {
      return List.of();
    }
    return value instanceof List<?> list ? list.stream().map(Object::toString).toList()
        : List.of(value.toString());
  }

  private Object matched(String key) {
    if (key.startsWith("-")) {
      return typed.hasMatchedOption(key) ? typed.matchedOptionValue(key, null) : null;
    }
    return typed.matchedPositionals().stream()
        .filter(positional -> positional.paramLabel().equals(key)).findFirst()
        .map(ArgSpec::getValue).orElse(null);
  }

  boolean flag(String name) {
    return typed.hasMatchedOption(name);
  }

  OptionalLong integer(String key) {
    return text(key).map(text -> OptionalLong.of(Long.parseLong(text)))
        .orElse(OptionalLong.empty());
  }

  UUID uuid(String key) {
    return UUID.fromString(id(key));
  }

  /** The UUID that was meant by what was typed for this parameter. */
  String id(String key) {
    Arg arg = command().args().stream().filter(each -> each.key().equals(key)).findFirst()
        .orElseThrow();
    return resolved(arg, required(key));
  }

  private String resolved(Arg arg, String text) {
    String key = arg.key() + " " + text;
    if (!ids.containsKey(key)) {
      ids.put(key, Ids.resolve(this, arg, text));
    }
    return ids.get(key);
  }

  /** What can be told of the command line before anything is sent. */
  void check() {
    Map<String, String> given = new HashMap<>();
    for (Arg arg : command().args()) {
      String other = texts(arg.key()).isEmpty() ? null
          : given.put(arg.place() + " " + arg.member(), arg.key());
      if (other != null) {
        throw new UsageException(other + " and " + arg.key() + " exclude each other");
      }
      for (String text : arg.kind() == Arg.Kind.INTEGER || arg.kind() == Arg.Kind.UUID
          ? texts(arg.key()) : List.<String>of()) {
        if (arg.kind() == Arg.Kind.UUID) {
          Ids.check(arg, text);
        } else if (!text.matches("[+-]?\\d{1,18}")) {
          throw new UsageException(arg.key() + " must be a whole number, not \"" + text + "\"");
        }
      }
    }
  }

  /** The profile that was chosen with an option, or by the environment. */
  Optional<String> profile() {
    return text("--profile").or(() -> terminal.variable("TASKER_PROFILE"));
  }

  /** Who acts, for commands without an argument for it. */
  String actor() {
    return text("--by").or(() -> terminal.variable("TASKER_BY"))
        .orElse(System.getProperty("user.name", "unknown"));
  }

  /** What was typed, as the values of the request. */
  List<JsonValue> values(Arg arg) {
    if (arg.kind() == Arg.Kind.FLAG) {
      return flag(arg.key()) ? List.of(JsonValue.TRUE) : List.of();
    }
    List<String> texts = arg.isActor() ? List.of(actor()) : texts(arg.key());
    List<JsonValue> values = new ArrayList<>();
    for (String text : texts) {
      values.add(switch (arg.kind()) {
        case INTEGER -> Json.createValue(Long.parseLong(text));
        case JSON -> json(arg.key(), text);
        case UUID -> Json.createValue(resolved(arg, text));
        default -> Json.createValue(text);
      });
    }
    return values;
  }

  /** JSON that was typed, or is in {@code @file}, or comes from the standard input ({@code -}). */
  JsonValue json(String key, String text) {
    return Text.parse(text.equals("-") || text.startsWith("@")
        ? read(text.startsWith("@") ? text.substring(1) : text) : text, key);
  }

  /** The content of the file, or of the standard input for {@code -}. */
  String read(String file) {
    if (file.equals("-")) {
      return terminal.readAll();
    }
    try {
      return Files.readString(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      throw new UsageException("Cannot read the file " + file + ": " + Faults.text(e));
    }
  }
}
