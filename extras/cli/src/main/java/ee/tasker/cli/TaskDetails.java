package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.ProblemException;
import ee.tasker.client.TaskState;
import ee.tasker.client.TaskerException;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a person who looks at a task asks next: what a step waits for, and what failed. */
final class TaskDetails {
  /** Of a step whose attempt has failed. */
  private static final Set<String> FAILED = Set.of("error", "waiting_for_retry");
  private static final Set<String> DONE = Set.of("complete", "resolved_manually", "cancelled");
  private static final int LONGEST_ERROR = 4096;

  private TaskDetails() {}

  /**
   * The task, whose steps have {@code why}: the sentence of the diagnosis and the error of the
   * latest attempt.
   */
  static JsonObject withReasons(Invocation in, JsonObject task) {
    if (!(task.get("steps") instanceof JsonArray steps)) {
      return task;
    }
    List<JsonObject> rows = steps.getValuesAs(JsonObject.class);
    Map<String, String> sentences = new HashMap<>();
    Map<String, String> errors = new HashMap<>();
    boolean hasEnded = Arrays.stream(TaskState.values())
        .anyMatch(state -> state.isTerminal() && state.toString().equals(task.getString("state")));
    if (!hasEnded && rows.stream().anyMatch(step -> !DONE.contains(step.getString("state")))) {
      read(in, Operation.DIAGNOSE_TASK, task, "waiting")
          .forEach(step -> sentences.put(id(step), step.getString("sentence", "")));
    }
    if (rows.stream().anyMatch(step -> FAILED.contains(step.getString("state")))) {
      read(in, Operation.LIST_STEPS, task, "steps").stream()
          .filter(step -> FAILED.contains(step.getString("state")))
          .forEach(step -> errors.put(id(step), error(step.get("error"))));
    }
    JsonArrayBuilder explained = Json.createArrayBuilder();
    rows.forEach(step -> {
      String sentence = sentences.getOrDefault(id(step), "");
      String error = errors.getOrDefault(id(step), "");
      String why = sentence
          + (sentence.isEmpty() || error.isEmpty() || sentence.contains(error) ? "" : ": ")
          + (sentence.contains(error) ? "" : error);
      explained.add(why.isEmpty() ? step : Json.createObjectBuilder(step).add("why", why).build());
    });
    return Json.createObjectBuilder(task).add("steps", explained).build();
  }

  private static String id(JsonObject step) {
    return step.getString("step_uuid", "");
  }

  /**
   * What the caller may not read, or the server does not tell just now, is left out: the task
   * itself is shown all the same.
   */
  private static List<JsonObject> read(Invocation in, Operation operation, JsonObject task,
      String member) {
    try {
      Call call = Call.of(operation).path("task_uuid", task.getString("task_uuid"));
      if (operation == Operation.LIST_STEPS) {
        call.query("max_document_bytes", LONGEST_ERROR);
      }
      return in.client().send(call).json().getJsonArray(member).getValuesAs(JsonObject.class);
    } catch (ProblemException e) {
      if (e.status() == 401) {
        throw e;
      }
      return List.of();
    } catch (TaskerException e) {
      return List.of();
    }
  }

  /** {@code Timeout: no answer}. */
  private static String error(JsonValue error) {
    String type = Text.cell(Text.at(error, "type"));
    String message = Text.cell(Text.at(error, "message"));
    return type + (type.isEmpty() || message.isEmpty() ? "" : ": ") + message;
  }

  /**
   * The history, whose entries have {@code what}: the same question has another member in each kind
   * of entry.
   */
  static JsonObject withWhat(Invocation in, JsonObject history) {
    JsonArrayBuilder entries = Json.createArrayBuilder();
    history.getJsonArray("entries").getValuesAs(JsonObject.class)
        .forEach(
            entry -> entries.add(Json.createObjectBuilder(entry).add("what", what(entry)).build()));
    return Json.createObjectBuilder(history).add("entries", entries).build();
  }

  private static String what(JsonObject entry) {
    return switch (entry.getString("kind", "")) {
      case "task", "step" -> words(" -> ", entry, "from_state", "to_state");
      case "result" -> words(": ", Text.cell(entry.get("outcome")), error(entry.get("error")));
      case "action" -> Text.cell(entry.get("action"));
      case "wait_armed" ->
        words(" ", "waits for", words(" ", entry, "wait", "signal"), until(entry));
      case "wait_ended" ->
        words(" ", words(" ", entry, "wait", "signal"), Text.cell(entry.get("outcome")));
      case "approval" -> words(" to ", entry, "event", "to");
      case "signal_received" -> words(" ", "signal", words(" ", entry, "signal", "signal_id"));
      case "dead_letter_opened" -> Text.cell(entry.get("reason"));
      case "dead_letter_closed" -> Text.cell(entry.get("resolution_status"));
      default -> "";
    };
  }

  private static String until(JsonObject entry) {
    String due = Text.cell(entry.get("due_at"));
    return due.isEmpty() ? "" : "until " + due;
  }

  private static String words(String between, JsonObject entry, String... members) {
    return words(between,
        Arrays.stream(members).map(member -> Text.cell(entry.get(member))).toArray(String[]::new));
  }

  private static String words(String between, String... texts) {
    return String.join(between, Arrays.stream(texts).filter(text -> !text.isEmpty()).toList());
  }
}
