package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.Step;
import ee.tasker.client.Task;
import ee.tasker.client.TaskState;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.UUID;

/** Submits tasks and waits for them. */
final class TaskCommands {
  private TaskCommands() {}

  static int submit(Invocation in) {
    JsonObject request = request(in);
    Call call = Call.of(Operation.SUBMIT_TASK).body(request);
    in.useKey(call);
    JsonObject answer = in.client().send(call).json();
    UUID task = UUID.fromString(answer.getString("task_uuid"));
    LastTask.save(in, task.toString());
    if (in.flag("--watch")) {
      return Watch.follow(in, task, null, false);
    }
    if (in.integer("--wait").isPresent()) {
      return awaited(in, task, Duration.ofSeconds(in.integer("--wait").getAsLong()));
    }
    in.output().print(answer,
        View.details("task=task_uuid", "state", "version", "duplicate",
            "replaces=replaces_task_uuid", "correlation=correlation_id"));
    return Exit.DONE;
  }

  static JsonObject request(Invocation in) {
    JsonObjectBuilder request = Json.createObjectBuilder();
    if (in.flag("--request")) {
      if (!(in.json("--request", in.required("--request")) instanceof JsonObject whole)) {
        throw new UsageException("--request must be a JSON object");
      }
      whole.forEach(request::add);
    }
    if (in.text("TEMPLATE").isPresent()) {
      TemplateCommands.Reference template = TemplateCommands.Reference.of(in.required("TEMPLATE"));
      request.add("namespace", template.namespace()).add("name", template.name());
      if (template.version() != null) {
        request.add("version", template.version());
      }
    } else if (!in.flag("--request")) {
      throw new UsageException("TEMPLATE is required, or --request");
    }
    JsonObject typed = in.command().body(in);
    if (typed.containsKey("context") && !(typed.get("context") instanceof JsonObject)) {
      throw new UsageException("--context must be a JSON object");
    }
    typed.forEach(request::add);
    if (in.flag("--set") || !in.flag("--request") && !typed.containsKey("context")) {
      request.add("context", context(in, typed.get("context")));
    }
    return request.build();
  }

  /** The context that was typed, with the members of {@code --set} over it. */
  private static JsonValue context(Invocation in, JsonValue typed) {
    JsonObjectBuilder context = typed == null ? Json.createObjectBuilder()
        : Json.createObjectBuilder(typed.asJsonObject());
    for (String pair : in.texts("--set")) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new UsageException("--set needs KEY=VALUE, not \"" + pair + "\"");
      }
      String value = pair.substring(equals + 1);
      JsonValue json;
      try {
        json = Text.parse(value, "--set");
      } catch (UsageException e) {
        json = Json.createValue(value);
      }
      context.add(pair.substring(0, equals), json);
    }
    return context.build();
  }

  static int submitMany(Invocation in) {
    if (!(Text.parse(in.read(in.required("FILE")), "The file") instanceof JsonArray requests)) {
      throw new UsageException("The file must have a JSON array of requests");
    }
    Call call = Call.of(Operation.SUBMIT_TASKS).body(requests);
    in.useKey(call);
    JsonObject answer = in.client().send(call).json();
    in.print(answer);
    answer.getJsonArray("verdicts").getValuesAs(JsonObject.class).stream()
        .map(verdict -> verdict.getString("task_uuid", ""))
        .filter(task -> !task.isEmpty()).reduce((one, next) -> next)
        .ifPresent(task -> LastTask.save(in, task));
    return answer.getJsonArray("verdicts").getValuesAs(JsonObject.class).stream()
        .allMatch(verdict -> verdict.getInt("status") / 100 == 2)
            ? Exit.DONE
            : Exit.DIFFERS;
  }

  static int await(Invocation in) {
    return awaited(in, in.uuid("TASK"), Duration.ofSeconds(in.integer("--for").orElse(3600)));
  }

  private static int awaited(Invocation in, UUID uuid, Duration longest) {
    Task task = in.client().await(uuid, longest);
    in.print(task.json());
    return exit(task.state());
  }

  /** Tells scripts whether a task that was waited for has succeeded. */
  static int exit(TaskState state) {
    return state.isSuccess() ? Exit.DONE
        : state.isTerminalOrBlocked() ? Exit.TASK_FAILED : Exit.TIMED_OUT;
  }

  /** Completes a step; a decision may choose nothing, which no list of steps says. */
  static int complete(Invocation in) {
    JsonObject body = in.command().body(in);
    if (in.flag("--decide-none")) {
      if (in.flag("--decision")) {
        throw new UsageException("--decision and --decide-none exclude each other");
      }
      body = Json.createObjectBuilder(body).add("completion_data",
          Json.createObjectBuilder(body.getJsonObject("completion_data")).add("decision",
              JsonValue.EMPTY_JSON_ARRAY))
          .build();
    }
    return General.sent(in, body);
  }

  /** The step of the task of this name, or UUID. */
  static String stepUuid(Invocation in, String step) {
    try {
      return UUID.fromString(step).toString();
    } catch (IllegalArgumentException e) {
      UUID task = in.uuid("TASK");
      return in.client().steps(task).stream().filter(each -> each.name().equals(step)).findFirst()
          .map(Step::stepUuid)
          .orElseThrow(
              () -> new NotFoundException("Task " + task + " has no step \"" + step + "\""))
          .toString();
    }
  }
}
