package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The tools that {@code tasker mcp} offers: operations of the interface, described by the OpenAPI
 * document of the server that is asked.
 * Parameters of the path and of the query, and the members of the body, are the arguments of a
 * tool. Immutable.
 */
final class Tools {
  /**
   * What reads, for a person who asks about tasks. Streams, probes and the protocol of external
   * workers are for programs.
   */
  static final Set<Operation> READING = EnumSet.of(Operation.LIST_TASKS, Operation.GET_TASK,
      Operation.LIST_FORKS, Operation.COUNT_TASKS, Operation.LIST_FAILURES,
      Operation.LIST_DOMAIN_EVENTS, Operation.DIAGNOSE_TASK, Operation.LIST_CHILDREN,
      Operation.GET_TASK_HISTORY, Operation.LIST_STEPS, Operation.GET_STEP,
      Operation.READ_TASK_DOCUMENT, Operation.READ_STEP_DOCUMENT, Operation.LIST_BULK_ACTIONS,
      Operation.GET_BULK_ACTION, Operation.LIST_BULK_ACTION_TASKS, Operation.AUDIT_STEP,
      Operation.LIST_PAUSES, Operation.LIST_SCHEDULES, Operation.GET_SCHEDULE,
      Operation.LIST_SCHEDULE_FIRES, Operation.LIST_BACKFILLS, Operation.LIST_WEBHOOKS,
      Operation.GET_WEBHOOK, Operation.LIST_WEBHOOK_DELIVERIES, Operation.GET_WEBHOOK_DELIVERY,
      Operation.LIST_CONCURRENCY_POLICIES, Operation.GET_RETENTION, Operation.PREVIEW_RETENTION,
      Operation.LIST_DEAD_LETTERS, Operation.GET_DEAD_LETTER_OF_TASK, Operation.GET_DEAD_LETTER,
      Operation.GET_DEAD_LETTER_STATISTICS, Operation.GET_INVESTIGATION_QUEUE,
      Operation.GET_STALENESS, Operation.LIST_TEMPLATES, Operation.VALIDATE_TEMPLATE,
      Operation.GET_TEMPLATE, Operation.LIST_DEAD_MESSAGES, Operation.LIST_QUEUES,
      Operation.LIST_SERVERS, Operation.DESCRIBE_SERVER, Operation.LIST_VIEWS,
      Operation.LIST_WORKERS, Operation.DESCRIBE_WORKER, Operation.LIST_HANDLERS,
      Operation.GET_PERFORMANCE, Operation.GET_SYSTEM_HEALTH, Operation.GET_BOTTLENECKS,
      Operation.GET_TIMELINE, Operation.GET_ME, Operation.LIST_APPROVALS, Operation.GET_APPROVAL);
  /**
   * What acts on tasks, and on deliveries of events. Approvals, who may do what, retention,
   * servers, and what a schedule or a webhook says, stay with
   * people.
   */
  static final Set<Operation> WRITING = EnumSet.of(Operation.SUBMIT_TASK, Operation.CANCEL_TASK,
      Operation.ACT_ON_TASK, Operation.FORK_TASK, Operation.ACT_ON_STEP,
      Operation.PREVIEW_BULK_ACTION, Operation.RUN_BULK_ACTION, Operation.PAUSE, Operation.RESUME,
      Operation.SET_CONCURRENCY_LIMIT, Operation.CANCEL_BULK_ACTION, Operation.SEND_SIGNAL,
      Operation.SEND_SIGNAL_BY_CORRELATION, Operation.PAUSE_SCHEDULE, Operation.RESUME_SCHEDULE,
      Operation.TRIGGER_SCHEDULE, Operation.BACKFILL_SCHEDULE, Operation.CANCEL_BACKFILL,
      Operation.PAUSE_WEBHOOK, Operation.RESUME_WEBHOOK, Operation.PING_WEBHOOK,
      Operation.REPLAY_WEBHOOK, Operation.RETRY_WEBHOOK_DELIVERY,
      Operation.DISCARD_WEBHOOK_DELIVERY, Operation.OPEN_DEAD_LETTER, Operation.UPDATE_DEAD_LETTER,
      Operation.REGISTER_TEMPLATE, Operation.REPLAY_DEAD_MESSAGE);
  /**
   * What is offered unless groups are asked for: to find out what is wrong with a task, and, with
   * leave to act, to do something about it.
   */
  static final Set<Operation> BASIC = EnumSet.of(Operation.LIST_TASKS, Operation.COUNT_TASKS,
      Operation.LIST_FAILURES, Operation.GET_TASK, Operation.DIAGNOSE_TASK,
      Operation.GET_TASK_HISTORY, Operation.LIST_STEPS, Operation.GET_STEP,
      Operation.LIST_TEMPLATES, Operation.GET_TEMPLATE, Operation.SUBMIT_TASK,
      Operation.CANCEL_TASK, Operation.ACT_ON_TASK, Operation.ACT_ON_STEP, Operation.SEND_SIGNAL);
  /** The names of two groups; the others are the tags of the document. */
  static final String BASIC_GROUP = "basic";
  static final String ALL = "all";
  /**
   * A preview that the server itself gives, and what it is a preview of: the token is the
   * confirmation.
   */
  private static final Set<Operation> WITHOUT_CONFIRMATION = EnumSet
      .of(Operation.PREVIEW_BULK_ACTION, Operation.RUN_BULK_ACTION);
  /** The argument of a tool whose body is the text of a template. */
  static final String TEMPLATE = "template";
  static final String CONFIRM = "confirm";

  private final JsonObject document;
  private final boolean allowsWrites;
  private final Map<String, Tool> tools = new LinkedHashMap<>();
  /** Of the operations that are tools, also those that are not offered. */
  private final Map<String, String> groups = new TreeMap<>();

  /** Where an argument goes. */
  private record Parameter(String place, boolean isJoined) {
  }

  /**
   * @param needsConfirmation whether a call without {@value #CONFIRM} only shows what it would do
   */
  record Tool(Operation operation, JsonObject description, Map<String, Parameter> parameters,
      Set<String> required, boolean needsConfirmation) {
    String name() {
      return Tools.name(operation);
    }

    /**
     * @param by who asks, for operations that want to know
     * @throws UsageException for arguments that the tool has not, and without one that it needs
     */
    Call call(JsonObject given, String by) {
      check(given);
      Optional<Arg> actor = Commands.actorOf(operation, given);
      Call call = Call.of(operation);
      JsonObjectBuilder body = Json.createObjectBuilder();
      given.forEach((name, value) -> {
        Parameter parameter = parameters.get(name);
        switch (parameter.place()) {
          case "path" -> call.path(name, Text.cell(value));
          case "query" -> query(call, name, value, parameter.isJoined());
          case "text" -> call.body("application/yaml",
              value instanceof JsonString text ? text.getString() : value.toString());
          default -> body.add(name, value);
        }
      });
      actor.filter(arg -> arg.place() == Arg.Place.QUERY)
          .ifPresent(arg -> call.query(arg.member(), by));
      actor.filter(arg -> arg.place() == Arg.Place.BODY)
          .ifPresent(arg -> body.add(arg.member(), by));
      if (parameters.values().stream().anyMatch(parameter -> parameter.place().equals("body"))) {
        call.body(body.build());
      }
      if (given.get("wait") instanceof JsonNumber seconds) {
        call.patience(Duration.ofSeconds(seconds.longValue()));
      }
      return call;
    }

    private void check(JsonObject arguments) {
      Set<String> unknown = new TreeSet<>(arguments.keySet());
      unknown.removeAll(parameters.keySet());
      if (!unknown.isEmpty()) {
        throw new UsageException(
            "unknown arguments " + unknown + "; " + name() + " has " + parameters.keySet());
      }
      Set<String> missing = new TreeSet<>(required);
      missing.removeAll(arguments.keySet());
      if (!missing.isEmpty()) {
        throw new UsageException(name() + " needs the arguments " + missing);
      }
    }

    private static void query(Call call, String name, JsonValue value, boolean isJoined) {
      if (!(value instanceof JsonArray array)) {
        call.query(name, Text.cell(value));
      } else if (isJoined) {
        call.query(name, String.join(",", array.stream().map(Text::cell).toList()));
      } else {
        array.forEach(each -> call.query(name, Text.cell(each)));
      }
    }
  }

  /**
   * @param document the OpenAPI document, as the server answers it
   * @param chosen the groups that are offered: {@value #BASIC_GROUP}, {@value #ALL}, or tags of the
   *   document with dashes for spaces
   * @throws UsageException if there is no such group
   */
  Tools(JsonObject document, boolean allowsWrites, Set<String> chosen) {
    this.document = document;
    this.allowsWrites = allowsWrites;
    document.getJsonObject("paths")
        .forEach((path, methods) -> methods.asJsonObject().forEach((method, described) -> {
          if (described instanceof JsonObject operation) {
            for (Operation known : Operation.values()) {
              if (known.id().equals(operation.getString("operationId", "")) && isAllowed(known)) {
                String group = group(operation);
                groups.put(name(known), group);
                if (chosen.contains(group) || chosen.contains(ALL)
                    || chosen.contains(BASIC_GROUP) && BASIC.contains(known)) {
                  Tool tool = tool(known, methods.asJsonObject(), operation);
                  tools.put(tool.name(), tool);
                }
              }
            }
          }
        }));
    Set<String> known = new TreeSet<>(groups.values());
    known.addAll(Set.of(BASIC_GROUP, ALL));
    Set<String> unknown = new TreeSet<>(chosen);
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new UsageException("--tools: there is no group " + String.join(", ", unknown)
          + "; there are " + String.join(", ", known));
    }
  }

  private static String group(JsonObject operation) {
    return operation.getJsonArray("tags").getString(0).replace(' ', '-');
  }

  /** The group of a tool that exists and is not offered. */
  Optional<String> groupOf(String name) {
    return Optional.ofNullable(groups.get(name));
  }

  private boolean isAllowed(Operation operation) {
    return READING.contains(operation) || allowsWrites && WRITING.contains(operation);
  }

  private static String name(Operation operation) {
    return operation.name().toLowerCase(Locale.ROOT);
  }

  Optional<Tool> find(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  /** As {@code tools/list} answers it. */
  JsonArray list() {
    JsonArrayBuilder list = Json.createArrayBuilder();
    tools.values().forEach(tool -> list.add(tool.description()));
    return list.build();
  }

  private Tool tool(Operation operation, JsonObject path, JsonObject described) {
    Map<String, Parameter> parameters = new LinkedHashMap<>();
    JsonObjectBuilder properties = Json.createObjectBuilder();
    Set<String> required = new TreeSet<>();
    // Not for a program to say.
    Set<String> actors = Commands.actorsOf(operation);
    for (JsonObject from : List.of(path, described)) {
      if (from.containsKey("parameters")) {
        for (JsonObject reference : from.getJsonArray("parameters").getValuesAs(JsonObject.class)) {
          JsonObject parameter = resolved(reference);
          String place = parameter.getString("in");
          String name = parameter.getString("name");
          if (!place.equals("header") && !actors.contains(name)) {
            parameters.put(name, new Parameter(place, !parameter.getBoolean("explode", true)));
            JsonObject schema = inlined(parameter.getJsonObject("schema"), new ArrayList<>())
                .asJsonObject();
            properties.add(name, name.equals(Mcp.DOCUMENT_BYTES)
                ? Json.createObjectBuilder(schema).add("description", Mcp.LONGER_DOCUMENTS).build()
                : parameter.containsKey("description")
                    ? Json.createObjectBuilder(schema)
                        .add("description", parameter.getString("description").strip()).build()
                    : schema);
            if (parameter.getBoolean("required", false)) {
              required.add(name);
            }
          }
        }
      }
    }
    body(described, actors, parameters, properties, required);
    boolean needsConfirmation = WRITING.contains(operation)
        && !WITHOUT_CONFIRMATION.contains(operation);
    if (needsConfirmation) {
      properties.add(CONFIRM, Json.createObjectBuilder().add("type", "string").add("description",
          "Leave it out first: the answer shows what would be done, changes nothing, and has the value that does it in a second call with the same arguments. "
              + "Ask the user before the second call."));
    }
    JsonObjectBuilder schema = Json.createObjectBuilder().add("type", "object")
        .add("properties", properties)
        .add("additionalProperties", false);
    if (!required.isEmpty()) {
      schema.add("required", Json.createArrayBuilder(required));
    }
    String text = described.getString("summary") + "."
        + (described.containsKey("description") ? "\n" + described.getString("description").strip()
            : "");
    boolean reads = READING.contains(operation) || operation == Operation.PREVIEW_BULK_ACTION;
    JsonObject description = Json.createObjectBuilder().add("name", name(operation))
        .add("title", described.getString("summary"))
        .add("description", text).add("inputSchema", schema)
        .add("annotations",
            Json.createObjectBuilder().add("readOnlyHint", reads).add("destructiveHint", !reads)
                .add("openWorldHint", false))
        .build();
    return new Tool(operation, description, parameters, required, needsConfirmation);
  }

  private void body(JsonObject described, Set<String> actors, Map<String, Parameter> parameters,
      JsonObjectBuilder properties, Set<String> required) {
    if (!described.containsKey("requestBody")) {
      return;
    }
    JsonObject content = resolved(described.getJsonObject("requestBody")).getJsonObject("content");
    if (content.containsKey("application/yaml")) {
      parameters.put(TEMPLATE, new Parameter("text", false));
      properties.add(TEMPLATE, Json.createObjectBuilder().add("type", "string").add("description",
          "The text of the template, in YAML."));
      required.add(TEMPLATE);
      return;
    }
    JsonObject schema = inlined(content.getJsonObject("application/json").getJsonObject("schema"),
        new ArrayList<>()).asJsonObject();
    members(schema).forEach((name, member) -> {
      if (actors.contains(name)) {
        return;
      }
      if (parameters.putIfAbsent(name, new Parameter("body", false)) != null) {
        throw new IllegalStateException(
            described.getString("operationId") + " has two parameters " + name);
      }
      properties.add(name, member);
    });
    required(schema).stream().filter(name -> !actors.contains(name)).forEach(required::add);
  }

  /** The members of an object, also of one that is described in parts. */
  private static Map<String, JsonValue> members(JsonObject schema) {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    if (schema.get("allOf") instanceof JsonArray parts) {
      parts.getValuesAs(JsonObject.class).forEach(part -> members.putAll(members(part)));
    }
    if (schema.get("properties") instanceof JsonObject properties) {
      members.putAll(properties);
    }
    return members;
  }

  private static List<String> required(JsonObject schema) {
    List<String> names = new ArrayList<>();
    if (schema.get("allOf") instanceof JsonArray parts) {
      parts.getValuesAs(JsonObject.class).forEach(part -> names.addAll(required(part)));
    }
    if (schema.get("required") instanceof JsonArray all) {
      all.getValuesAs(JsonString.class).forEach(name -> names.add(name.getString()));
    }
    return names;
  }

  /**
   * The same with everything that it refers to; an object that contains its own kind ends as any
   * object.
   */
  private JsonValue inlined(JsonValue schema, List<String> within) {
    if (schema instanceof JsonArray array) {
      JsonArrayBuilder copy = Json.createArrayBuilder();
      array.forEach(each -> copy.add(inlined(each, within)));
      return copy.build();
    }
    if (!(schema instanceof JsonObject object)) {
      return schema;
    }
    JsonObjectBuilder copy = Json.createObjectBuilder();
    if (object.get("$ref") instanceof JsonString reference) {
      if (within.contains(reference.getString())) {
        return Json.createObjectBuilder().add("type", "object").build();
      }
      List<String> deeper = new ArrayList<>(within);
      deeper.add(reference.getString());
      inlined(at(reference.getString()), deeper).asJsonObject().forEach(copy::add);
    }
    object.forEach((name, value) -> {
      if (!name.equals("$ref")) {
        copy.add(name, inlined(value, within));
      }
    });
    return copy.build();
  }

  private JsonObject resolved(JsonObject object) {
    return object.containsKey("$ref") ? resolved(at(object.getString("$ref"))) : object;
  }

  private JsonObject at(String reference) {
    JsonValue found = document;
    for (String name : reference.substring(2).split("/")) {
      found = found.asJsonObject().get(name);
    }
    return found.asJsonObject();
  }
}
