package ee.tasker.rest.http;

import ee.tasker.operation.Action;
import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.task.TaskRequestReader;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads an action that an operator requests. Every action needs an actor and a reason. */
public final class ActionReader {
  private static final BodySchema STEP = BodySchema.of("StepAction");
  private static final BodySchema TASK = BodySchema.of("TaskAction");
  private static final Map<String, String> STEP_ACTORS = Map.of("reset_for_retry", "reset_by",
      "resolve_manually", "resolved_by", "complete_manually", "completed_by");
  private static final Map<String, Set<String>> STEP_DATA = Map.of("reset_for_retry",
      Set.of("attempt", "inputs", "discard_checkpoint", "new_idempotency_token"),
      "resolve_manually", Set.of("attempt"),
      "complete_manually", Set.of("attempt", "completion_data"));
  private static final Set<String> RETRY = Set.of("context", "new_idempotency_token");
  private static final Map<String, Set<String>> TASK_DATA = Map.of("retry", RETRY,
      "retry_from_step",
      Set.of("context", "new_idempotency_token", "step", "rerun_completed"));

  private ActionReader() {
  }

  /**
   * As in the reference: the action in {@code action_type}, the actor in {@code reset_by}, {@code
   * resolved_by} or {@code
   * completed_by}.
   */
  public static Action step(JsonObject body) {
    STEP.check(body, ActionReader::checkStep);
    String name = body.getString("action_type");
    JsonObject data = data(body, STEP_DATA.get(name));
    if (data.get("completion_data") instanceof JsonObject completion) {
      JsonObjectBuilder completed = Members.given(completion, "metadata", "decision", "batches")
          .add("result", completion.get("result"));
      Members.addGiven(completed, "attempt", body.get("attempt"));
      data = completed.build();
    }
    return new Action(name, body.getString(STEP_ACTORS.get(name)), body.getString("reason"), data);
  }

  private static void checkStep(JsonObject body, Violations violations) {
    String name = body.getString("action_type", "");
    String actor = STEP_ACTORS.get(name);
    if (actor != null) {
      require(body, actor, violations);
      refuseOthers(STEP, body, STEP_DATA.get(name), actor, violations);
    }
    if ("complete_manually".equals(name)) {
      require(body, "completion_data", violations);
    }
  }

  /** The action on a task, with the actor in {@code requested_by}. */
  public static Action task(JsonObject body) {
    TASK.check(body, ActionReader::checkTask);
    String name = body.getString("action_type");
    return new Action(name, body.getString("requested_by"), body.getString("reason"),
        data(body, TASK_DATA.getOrDefault(name, Set.of())));
  }

  private static void checkTask(JsonObject body, Violations violations) {
    Set<String> data = TASK_DATA.getOrDefault(body.getString("action_type", ""), Set.of());
    refuseOthers(TASK, body, data, "requested_by", violations);
    if (data.contains("step")) {
      require(body, "step", violations);
    }
    TaskRequestReader.checkContext(body, violations);
  }

  /** The fork of a task, of a valid body; {@code from} names the steps that run again. */
  public static Action fork(JsonObject body) {
    return new Action("fork", body.getString("requested_by"), body.getString("reason"),
        Members.given(body, "context", "priority")
            .add("from", Json.build().createArrayBuilder(Members.texts(body, "from"))).build());
  }

  private static JsonObject data(JsonObject body, Set<String> names) {
    return Members.given(body, names.toArray(String[]::new)).build();
  }

  private static void require(JsonObject body, String name, Violations violations) {
    if (Members.isAbsent(body, name)) {
      violations.add(name, "is required");
    }
  }

  /** What another action has. */
  private static void refuseOthers(BodySchema schema, JsonObject body, Set<String> data,
      String actor, Violations violations) {
    Set<String> allowed = new TreeSet<>(data);
    allowed.addAll(Set.of("action_type", "reason", actor));
    Set<String> given = new TreeSet<>(body.keySet());
    given.retainAll(schema.names());
    violations.addUnknown("", given, allowed);
  }
}
