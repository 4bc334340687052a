package ee.tasker.cli;

import ee.tasker.cli.Tools.Tool;
import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.ProblemException;
import ee.tasker.client.Reply;
import ee.tasker.client.TaskerException;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonException;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;

/**
 * {@code tasker mcp}: a server of the Model Context Protocol on standard input and output, one
 * JSON-RPC message per line. It offers the
 * operations of the interface as {@link Tools}, with the login of the command line, and works off
 * one request after the other.
 */
final class Mcp {
  /** The newest first; a client that asks for another gets that one, and decides. */
  private static final List<String> VERSIONS = List.of("2025-06-18", "2025-03-26", "2024-11-05");
  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int INTERNAL_ERROR = -32603;
  private static final int RESOURCE_NOT_FOUND = -32002;
  /** What a model can read at once; the context of a task may have a megabyte. */
  static final int LONGEST_TEXT = 60_000;
  private static final int MOST_PREVIEWS = 100;
  static final String DOCUMENT_BYTES = "max_document_bytes";
  /** Longer documents are resources. */
  static final int MOST_DOCUMENT_BYTES = 8192;
  static final String LONGER_DOCUMENTS = "Documents that are longer are null, and resources; "
      + MOST_DOCUMENT_BYTES + " unless given.";
  private static final Duration LIFE_OF_A_PREVIEW = Duration.ofMinutes(15);

  private final Invocation in;
  private final boolean allowsWrites;
  /**
   * What an action is about, and how to read it.
   *
   * @param names the parameters that identify it
   */
  private record Subject(String name, Operation operation, List<String> names) {
  }

  /** The first that fits. */
  private static final List<Subject> SUBJECTS = List.of(
      new Subject("step", Operation.GET_STEP, List.of("task_uuid", "step_uuid")),
      new Subject("task", Operation.GET_TASK, List.of("task_uuid")),
      new Subject("dead_letter", Operation.GET_DEAD_LETTER, List.of("dlq_entry_uuid")),
      new Subject("delivery", Operation.GET_WEBHOOK_DELIVERY,
          List.of("webhook_uuid", "delivery_uuid")),
      new Subject("webhook", Operation.GET_WEBHOOK, List.of("webhook_uuid")),
      new Subject("schedule", Operation.GET_SCHEDULE, List.of("schedule_uuid")),
      new Subject("bulk_action", Operation.GET_BULK_ACTION, List.of("token")));

  private final Map<String, Preview> previews = new LinkedHashMap<>();
  private Tools tools;

  /** What a second call may do: the very same. */
  private record Preview(Operation operation, JsonObject arguments, long until) {
  }

  /** What is wrong with a message. */
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int code;

    Fault(int code, String message) {
      super(message);
      this.code = code;
    }
  }

  private Mcp(Invocation in) {
    this.in = in;
    this.allowsWrites = in.flag("--allow-write");
  }

  /** Until the end of the input. */
  static int run(Invocation in) {
    Mcp server = new Mcp(in);
    // Before anything is promised: the address and the login may be wrong.
    server.tools();
    try (BufferedReader lines = new BufferedReader(
        new InputStreamReader(in.terminal().in(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          server.handle(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Exit.DONE;
  }

  private void handle(String line) {
    JsonValue id = JsonValue.NULL;
    try {
      JsonObject message = parsed(line);
      id = message.getOrDefault("id", JsonValue.NULL);
      if (!(message.get("method") instanceof JsonString method)) {
        if (message.containsKey("result") || message.containsKey("error")) {
          return;
        }
        throw new Fault(INVALID_REQUEST, "a request needs a method");
      }
      JsonObject parameters = message.get("params") instanceof JsonObject given ? given
          : JsonValue.EMPTY_JSON_OBJECT;
      if (!message.containsKey("id")) {
        // A notification: nothing that this server could be told changes what it does.
        return;
      }
      answer(id, "result", result(method.getString(), parameters));
    } catch (Fault fault) {
      answer(id, "error", Json.createObjectBuilder().add("code", fault.code)
          .add("message", fault.getMessage()).build());
    } catch (RuntimeException e) {
      answer(id, "error", Json.createObjectBuilder().add("code", INTERNAL_ERROR)
          .add("message", Faults.text(e)).build());
    }
  }

  private static JsonObject parsed(String line) {
    try (var reader = Json.createReader(new StringReader(line))) {
      if (reader.readValue() instanceof JsonObject message) {
        return message;
      }
      throw new Fault(INVALID_REQUEST, "a message is one JSON object");
    } catch (JsonException e) {
      throw new Fault(PARSE_ERROR, "not JSON: " + e.getMessage());
    }
  }

  private JsonObject result(String method, JsonObject parameters) {
    return switch (method) {
      case "initialize" -> initialized(parameters);
      case "ping" -> JsonValue.EMPTY_JSON_OBJECT;
      case "tools/list" -> Json.createObjectBuilder().add("tools", tools().list()).build();
      case "tools/call" -> called(parameters);
      // Documents are too many for a list: the templates say how each is named.
      case "resources/list" ->
        Json.createObjectBuilder().add("resources", JsonValue.EMPTY_JSON_ARRAY).build();
      case "resources/templates/list" ->
        Json.createObjectBuilder().add("resourceTemplates", Resources.templates()).build();
      case "resources/read" -> resource(parameters.getString("uri", ""));
      default -> throw new Fault(METHOD_NOT_FOUND, "there is no method " + method);
    };
  }

  private JsonObject initialized(JsonObject parameters) {
    String asked = parameters.getString("protocolVersion", "");
    return Json.createObjectBuilder()
        .add("protocolVersion", VERSIONS.contains(asked) ? asked : VERSIONS.get(0))
        .add("capabilities", Json.createObjectBuilder().add("tools", Json.createObjectBuilder())
            .add("resources", Json.createObjectBuilder()))
        .add("serverInfo",
            Json.createObjectBuilder().add("name", "tasker").add("title", "Tasker EE")
                .add("version", Tasker.version()))
        .add("instructions",
            "Tasks are runs of workflows; a task has steps. To find out what is wrong, begin with list_tasks (state blocked_by_failures, "
                + "or error), then diagnose_task and get_task_history." + (allowsWrites
                    ? " Tools that act answer first with what they would do; show that to the user before you confirm it."
                    : " These tools only read.")
                + " Documents of more than " + MOST_DOCUMENT_BYTES
                + " bytes are left out of answers, unless max_document_bytes says otherwise: "
                + "read them as resources, tasker://tasks/{task_uuid}/context or tasker://tasks/{task_uuid}/steps/{step_uuid}/result.")
        .build();
  }

  private JsonObject resource(String uri) {
    try {
      return Resources.read(in.client(), uri);
    } catch (ProblemException problem) {
      throw new Fault(problem.status() == 404 ? RESOURCE_NOT_FOUND : INTERNAL_ERROR,
          problem.getMessage() + " (" + problem.code() + ")");
    } catch (UsageException | IllegalArgumentException e) {
      throw new Fault(RESOURCE_NOT_FOUND, Faults.text(e));
    }
  }

  private JsonObject called(JsonObject parameters) {
    String name = parameters.getString("name", "");
    Tool tool = tools().find(name)
        .orElseThrow(() -> new Fault(INVALID_PARAMS, "there is no tool " + name
            + tools().groupOf(name)
                .map(group -> " among those that were asked for: start with --tools " + group
                    + " or --tools all")
                .orElse("")));
    JsonObject arguments = parameters.get("arguments") instanceof JsonObject given ? given
        : JsonValue.EMPTY_JSON_OBJECT;
    if (tool.parameters().containsKey(DOCUMENT_BYTES) && !arguments.containsKey(DOCUMENT_BYTES)) {
      arguments = Json.createObjectBuilder(arguments).add(DOCUMENT_BYTES, MOST_DOCUMENT_BYTES)
          .build();
    }
    try {
      return content(tool.needsConfirmation() ? confirmed(tool, arguments)
          : sent(tool.call(arguments, in.actor())), false);
    } catch (ProblemException problem) {
      JsonObjectBuilder error = Json.createObjectBuilder().add("code", problem.code())
          .add("status", problem.status()).add("detail", problem.getMessage());
      if (!problem.violations().isEmpty()) {
        var violations = Json.createArrayBuilder();
        problem.violations().forEach(
            violation -> violations.add(Json.createObjectBuilder().add("field", violation.field())
                .add("message", violation.message())));
        error.add("violations", violations);
      }
      return content(error.build(), true);
    } catch (TaskerException | UsageException | IllegalArgumentException e) {
      return content(Json.createObjectBuilder().add("detail", Faults.text(e)).build(), true);
    }
  }

  private JsonObject sent(Call call) {
    Reply reply = in.client().send(call);
    return reply.text().isBlank() ? Json.createObjectBuilder().add("status", reply.status()).build()
        : reply.json();
  }

  private JsonObject confirmed(Tool tool, JsonObject arguments) {
    JsonObject plain = without(arguments, Tools.CONFIRM);
    Call call = tool.call(plain, in.actor());
    if (!arguments.containsKey(Tools.CONFIRM)) {
      return preview(tool, plain);
    }
    Preview shown = arguments.get(Tools.CONFIRM) instanceof JsonString token
        ? previews.remove(token.getString()) : null;
    if (shown == null || shown.until() < System.nanoTime() || shown.operation() != tool.operation()
        || !shown.arguments().equals(plain)) {
      throw new UsageException(
          "this does not confirm anything: call " + tool.name() + " without " + Tools.CONFIRM
              + " first, then with the value that it answers and the same arguments, within "
              + LIFE_OF_A_PREVIEW.toMinutes() + " minutes");
    }
    return sent(call);
  }

  private JsonObject preview(Tool tool, JsonObject arguments) {
    String token = UUID.randomUUID().toString();
    JsonObjectBuilder preview = Json.createObjectBuilder().add("preview", true)
        .add("would", Json.createObjectBuilder().add("operation", tool.name())
            .add("arguments", arguments).add("by", in.actor()));
    present(tool, arguments, preview);
    previews.put(token,
        new Preview(tool.operation(), arguments, System.nanoTime() + LIFE_OF_A_PREVIEW.toNanos()));
    if (previews.size() > MOST_PREVIEWS) {
      previews.remove(previews.keySet().iterator().next());
    }
    return preview.add(Tools.CONFIRM, token).build();
  }

  /**
   * What it is about, as it is now; if that cannot be read, the action cannot either, and the
   * problem is the answer.
   */
  private void present(Tool tool, JsonObject arguments, JsonObjectBuilder preview) {
    if (tool.operation() == Operation.REGISTER_TEMPLATE) {
      preview.add("validation",
          sent(Call.of(Operation.VALIDATE_TEMPLATE).body("application/yaml",
              arguments.getString(Tools.TEMPLATE, ""))));
    } else {
      for (Subject subject : SUBJECTS) {
        if (arguments.keySet().containsAll(subject.names())) {
          Call call = Call.of(subject.operation());
          subject.names().forEach(name -> call.path(name, text(arguments, name)));
          preview.add(subject.name(), brief(sent(call)));
          break;
        }
      }
    }
    if (tool.operation() == Operation.BACKFILL_SCHEDULE) {
      preview.add("backfill", sent(
          tool.call(Json.createObjectBuilder(arguments).add("dry_run", true).build(), in.actor())));
    }
  }

  private static String text(JsonObject arguments, String name) {
    return Text.cell(arguments.get(name));
  }

  /** Without documents: who confirms wants to know which one it is and how it is. */
  private static JsonObject brief(JsonObject document) {
    JsonObjectBuilder brief = Json.createObjectBuilder();
    document.forEach((name, value) -> {
      if (value instanceof JsonString || value instanceof JsonNumber || value == JsonValue.TRUE
          || value == JsonValue.FALSE) {
        brief.add(name, value);
      }
    });
    return brief.build();
  }

  private static JsonObject without(JsonObject object, String name) {
    JsonObjectBuilder copy = Json.createObjectBuilder();
    object.forEach((member, value) -> {
      if (!member.equals(name)) {
        copy.add(member, value);
      }
    });
    return copy.build();
  }

  private static JsonObject content(JsonObject answer, boolean isError) {
    String text = answer.toString();
    boolean isWhole = text.length() <= LONGEST_TEXT;
    JsonArray parts = Json.createArrayBuilder()
        .add(Json.createObjectBuilder().add("type", "text").add("text",
            isWhole ? text
                : text.substring(0, LONGEST_TEXT) + "\n… cut here: the answer has " + text.length()
                    + " characters; ask for less, or for one step"))
        .build();
    JsonObjectBuilder content = Json.createObjectBuilder().add("content", parts).add("isError",
        isError);
    return (isWhole && !isError ? content.add("structuredContent", answer) : content).build();
  }

  private Tools tools() {
    if (tools == null) {
      tools = new Tools(
          in.client().send(Call.of(Operation.GET_OPEN_API).header("Accept", "application/json"))
              .json(),
          allowsWrites,
          new TreeSet<>(List.of(in.text("--tools").orElse(Tools.BASIC_GROUP).split(","))));
    }
    return tools;
  }

  private void answer(JsonValue id, String member, JsonObject value) {
    in.terminal().out().println(
        Json.createObjectBuilder().add("jsonrpc", "2.0").add("id", id).add(member, value).build());
    in.terminal().out().flush();
  }
}
