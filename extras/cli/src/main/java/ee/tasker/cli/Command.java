package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A command: its parameters, the operations that it calls, and how the answer is shown. Without a
 * {@link #runs runner} it sends its one
 * operation with what the parameters say, and prints the answer.
 */
final class Command {

  /** Adds to an answer what a person wants to know besides. */
  @FunctionalInterface
  interface Completion {
    /** @return the answer with more members */
    JsonObject complete(Invocation in, JsonObject answer);
  }

  /** What a command does. */
  @FunctionalInterface
  interface Runner {
    /** @return the exit status, one of {@link Exit} */
    int run(Invocation in);
  }

  private final String name;
  private final String description;
  private final List<Arg> args = new ArrayList<>();
  private final List<Operation> operations = new ArrayList<>();
  private final Map<String, JsonValue> constants = new LinkedHashMap<>();
  private final List<String> examples = new ArrayList<>();
  private final List<String> aliases = new ArrayList<>();
  private View view = View.details();
  private Completion forPeople = (in, answer) -> answer;
  private Runner runner = this::send;
  private String pages;
  private int largestPage;

  private Command(String name, String description) {
    this.name = name;
    this.description = description;
  }

  static Command of(String name, String description) {
    return new Command(name, description);
  }

  Command calls(Operation... called) {
    operations.addAll(List.of(called));
    return this;
  }

  Command with(Arg... more) {
    args.addAll(List.of(more));
    return this;
  }

  Command with(List<Arg> more) {
    args.addAll(more);
    return this;
  }

  /** A member of the body that is always the same. */
  Command constant(String member, String value) {
    constants.put(member, Json.createValue(value));
    return this;
  }

  Command constant(String member, boolean value) {
    constants.put(member, value ? JsonValue.TRUE : JsonValue.FALSE);
    return this;
  }

  Command shows(View shown) {
    view = shown;
    return this;
  }

  /** Other words for it. */
  Command alias(String... words) {
    aliases.addAll(List.of(words));
    return this;
  }

  /** What tables show besides; JSON and YAML are the answer as it is. */
  Command completedBy(Completion completion) {
    forPeople = completion;
    return this;
  }

  Command runs(Runner run) {
    runner = run;
    return this;
  }

  /**
   * The list in this member comes in pages of at most so many: {@code --limit}, {@code --all} and
   * {@code --cursor}.
   */
  Command pages(String member, int largest) {
    pages = member;
    largestPage = largest;
    return with(
        Arg.local("limit", "N",
            "How many at most, 25 by default; more than a page has is read in several requests.")
            .integer()
            .covers("limit"),
        Arg.flag(Arg.Place.LOCAL, "all", "Everything that matches."),
        Arg.query("cursor", "CURSOR", "Goes on where an earlier list ended."));
  }

  Command example(String command) {
    examples.add(command);
    return this;
  }

  String name() {
    return name;
  }

  List<String> aliases() {
    return aliases;
  }

  /** 0 if the answer has no pages. */
  int largestPage() {
    return largestPage;
  }

  String description() {
    return description;
  }

  List<Arg> args() {
    return args;
  }

  /**
   * The words that an argument is limited to: its own, or those of the interface; empty if it is
   * not.
   */
  List<String> words(Arg arg) {
    boolean isSent = arg.place() != Arg.Place.LOCAL && arg.kind() != Arg.Kind.FLAG;
    return arg.values().isEmpty() && isSent ? Words.of(operations.get(0), arg.member())
        : arg.values();
  }

  List<Operation> operations() {
    return operations;
  }

  Map<String, JsonValue> constants() {
    return constants;
  }

  List<String> examples() {
    return examples;
  }

  View view() {
    return view;
  }

  JsonValue forPeople(Invocation in, JsonValue answer) {
    return answer instanceof JsonObject object ? forPeople.complete(in, object) : answer;
  }

  int run(Invocation in) {
    return runner.run(in);
  }

  /** Whether it takes {@code --idempotency-key}. */
  boolean acceptsKey() {
    return operations.size() == 1 && operations.get(0).acceptsIdempotencyKey();
  }

  private int send(Invocation in) {
    if (pages != null) {
      return sendForPages(in);
    }
    in.print(in.client().send(call(in)).json());
    return Exit.DONE;
  }

  private int sendForPages(Invocation in) {
    boolean all = in.flag("--all");
    long limit = all ? Long.MAX_VALUE : in.integer("--limit").orElse(25);
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1");
    }
    JsonArrayBuilder rows = Json.createArrayBuilder();
    JsonValue next = in.text("--cursor").map(cursor -> (JsonValue) Json.createValue(cursor))
        .orElse(JsonValue.NULL);
    long read = 0;
    do {
      Call call = call(in, "cursor").query("limit", Math.min(limit - read, largestPage));
      if (next != JsonValue.NULL) {
        call.query("cursor", Text.cell(next));
      }
      JsonObject page = in.client().send(call).json();
      JsonArray entries = page.getJsonArray(pages);
      entries.forEach(rows::add);
      read += entries.size();
      JsonValue after = page.getOrDefault("next", JsonValue.NULL);
      if (after.equals(next) && after != JsonValue.NULL) {
        throw new IllegalStateException(
            "the server answers the same page again, after " + Text.cell(next));
      }
      next = after;
    } while (next != JsonValue.NULL && read < limit);
    in.output().print(Json.createObjectBuilder().add(pages, rows).add("next", next).build(), view);
    if (next != JsonValue.NULL && !in.output().isForPrograms()) {
      in.terminal().err().println("There are more: --all, or --cursor " + Text.cell(next));
    }
    return Exit.DONE;
  }

  /** The request that the parameters make of the first operation, without the named members. */
  Call call(Invocation in, String... without) {
    Call call = Call.of(operations.get(0));
    List<String> skipped = List.of(without);
    for (Arg arg : args) {
      if (skipped.contains(arg.member())) {
        continue;
      }
      List<JsonValue> values = in.values(arg);
      if (arg.place() == Arg.Place.PATH) {
        String value = Text.cell(values.get(0));
        call.path(arg.member(),
            arg.member().equals("step_uuid") ? TaskCommands.stepUuid(in, value) : value);
      } else if (arg.place() == Arg.Place.QUERY) {
        values.forEach(value -> call.query(arg.member(), Text.cell(value)));
      }
    }
    args.stream().filter(arg -> arg.member().equals("wait") || arg.member().equals("wait_seconds"))
        .map(arg -> in.integer(arg.key()))
        .filter(OptionalLong::isPresent)
        .forEach(seconds -> call.patience(Duration.ofSeconds(seconds.getAsLong())));
    in.useKey(call);
    if (!constants.isEmpty() || args.stream().anyMatch(arg -> arg.place() == Arg.Place.BODY)) {
      call.body(body(in));
    }
    return call;
  }

  /** The body that the parameters make. */
  JsonObject body(Invocation in) {
    Map<String, Object> body = new LinkedHashMap<>(constants);
    for (Arg arg : args) {
      List<JsonValue> values = arg.place() == Arg.Place.BODY ? in.values(arg) : List.of();
      if (!values.isEmpty()) {
        put(body, arg.member(), arg.isMany() ? array(values) : values.get(0));
      }
    }
    return object(body);
  }

  private static JsonArray array(List<JsonValue> values) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    values.forEach(array::add);
    return array.build();
  }

  @SuppressWarnings("unchecked")
  private static void put(Map<String, Object> body, String path, JsonValue value) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      body.put(path, value);
    } else {
      put((Map<String, Object>) body.computeIfAbsent(path.substring(0, dot),
          nested -> new LinkedHashMap<String, Object>()), path.substring(dot + 1), value);
    }
  }

  @SuppressWarnings("unchecked")
  private static JsonObject object(Map<String, Object> members) {
    JsonObjectBuilder object = Json.createObjectBuilder();
    members.forEach((name, value) -> object.add(name,
        value instanceof JsonValue json ? json : object((Map<String, Object>) value)));
    return object.build();
  }
}
