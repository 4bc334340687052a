package ee.tasker.rest.http;

import ee.tasker.operation.Action;
import ee.tasker.platform.Json;
import ee.tasker.task.TaskRequestReader;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.Map;
import java.util.Set;

/** Reads an action that an operator requests. Every action needs an actor and a reason. */
public final class ActionReader {
  static final Map<String, String> STEP_ACTIONS = Map.of(
      "reset_for_retry", "reset_by", "resolve_manually", "resolved_by", "complete_manually",
      "completed_by");
  static final Set<String> TASK_ACTIONS = Set.of("retry", "retry_from_step", "resolve", "fail",
      "compensate");
  /** The bulk action that closes dead letters; all others are actions on tasks. */
  public static final String CLOSE_DEAD_LETTERS = "close_dead_letters";
  /** What a bulk action may do. */
  public static final Set<String> BULK_ACTIONS = Set.of("retry", "resolve", "fail", "cancel",
      "compensate", CLOSE_DEAD_LETTERS);
  /** The longest name of an actor. */
  public static final int WHO = 128;
  /** The longest reason. */
  public static final int WHY = 1_000;

  private ActionReader() {
  }

  /**
   * As in the reference: the action in {@code action_type}, the actor in {@code reset_by}, {@code
   * resolved_by} or {@code
   * completed_by}.
   */
  public static Action step(JsonObject body) {
    Members members = new Members(body);
    String name = members.word("action_type", STEP_ACTIONS.keySet());
    JsonObjectBuilder data = Json.build().createObjectBuilder();
    Members.addGiven(data, "attempt", members.number("attempt", 0, Integer.MAX_VALUE));
    if ("reset_for_retry".equals(name)) {
      Members.addGiven(data, "inputs", members.object("inputs"));
      if (members.flag("discard_checkpoint")) {
        data.add("discard_checkpoint", true);
      }
      addTokenChoice(members, data);
    } else if ("complete_manually".equals(name)) {
      if (!members.has("completion_data")) {
        members.wrong("completion_data", "is required");
      }
      Members completion = members.members("completion_data");
      Members.addGiven(data, "result", completion.anything("result"));
      Members.addGiven(data, "metadata", completion.object("metadata"));
      if (completion.has("decision")) {
        data.add("decision", completion.anything("decision"));
      }
      if (completion.has("batches")) {
        data.add("batches", completion.anything("batches"));
      }
      completion.refuseOthers();
    }
    String reason = members.text("reason", WHY);
    String by = name.isEmpty() ? "" : members.text(STEP_ACTIONS.get(name), WHO);
    members.check();
    return new Action(name, by, reason, data.build());
  }

  /** The action on a task, with the actor in {@code requested_by}. */
  public static Action task(JsonObject body) {
    Members members = new Members(body);
    String name = members.word("action_type", TASK_ACTIONS);
    JsonObjectBuilder data = Json.build().createObjectBuilder();
    if (name.startsWith("retry")) {
      addContext(members, data);
      addTokenChoice(members, data);
    }
    if ("retry_from_step".equals(name)) {
      data.add("step", members.text("step", 128));
      data.add("rerun_completed", members.flag("rerun_completed"));
    }
    String reason = members.text("reason", WHY);
    String by = members.text("requested_by", WHO);
    members.check();
    return new Action(name, by, reason, data.build());
  }

  private static void addContext(Members members, JsonObjectBuilder data) {
    JsonObject context = members.object("context");
    if (context != null) {
      TaskRequestReader.contextComplaint(context)
          .ifPresent(complaint -> members.wrong("context", complaint));
      data.add("context", context);
    }
  }

  /** False says something else than nothing where done steps run again. */
  private static void addTokenChoice(Members members, JsonObjectBuilder data) {
    boolean isNew = members.flag("new_idempotency_token");
    if (members.has("new_idempotency_token")) {
      data.add("new_idempotency_token", isNew);
    }
  }

  /** The fork of a task; {@code from} names the steps that run again. */
  public static Action fork(JsonObject body) {
    Members members = new Members(body);
    JsonObjectBuilder data = Json.build().createObjectBuilder();
    if (!members.has("from")) {
      members.wrong("from", "is required");
    }
    Members.addGiven(data, "from", members.texts("from", 1_000, 128));
    addContext(members, data);
    Members.addGiven(data, "priority", members.number("priority", -100, 100));
    String reason = members.text("reason", WHY);
    String by = members.text("requested_by", WHO);
    members.check();
    return new Action("fork", by, reason, data.build());
  }
}
