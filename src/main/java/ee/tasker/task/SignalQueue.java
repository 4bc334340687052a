package ee.tasker.task;

import ee.tasker.document.Seals;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Problem.Violation;
import ee.tasker.platform.Refusals;
import ee.tasker.template.ContextSchema;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Queues signals in the transaction of its caller, which a {@link Problem} does not mark for
 * rollback. Thread-safe.
 */
@ApplicationScoped
public class SignalQueue {
  @Inject
  private SubmissionGateway gateway;

  @Inject
  private Seals seals;

  void queue(UUID task, String name, JsonValue payload, String signalId, String sentBy) {
    if (!(gateway.getSignalSchema(task, name) instanceof JsonObject known)) {
      throw RequestCheck.unknownTask(task);
    }
    queue(List.of(task), List.of(known), name, payload, signalId, sentBy);
  }

  int queueByCorrelation(UUID correlationId, String name, JsonValue payload, String signalId,
      int limit, String sentBy) {
    List<JsonObject> targets = gateway.findSignalTargets(correlationId, name, limit)
        .getValuesAs(JsonObject.class);
    checkTargets(targets.size(), name, limit);
    queue(targets.stream().map(target -> Json.uuid(target, "task_uuid")).toList(), targets, name,
        payload, signalId, sentBy);
    return targets.size();
  }

  private void queue(List<UUID> tasks, List<JsonObject> schemas, String name, JsonValue payload,
      String signalId, String sentBy) {
    JsonbCheck.complaint(payload).ifPresent(complaint -> {
      throw Problem.invalid("payload", complaint);
    });
    checked(tasks, schemas, payload).forEach((given, receivers) -> gateway
        .queueSignals(receivers, name, given, signalId, sentBy).getValuesAs(JsonObject.class)
        .forEach(answer -> Refusals.check(answer,
            () -> RequestCheck.unknownTask(Json.uuid(answer, "task_uuid")))));
  }

  /** @throws Problem 404 no-task-for-signal, 409 too-many-receivers */
  public static void checkTargets(int targets, String name, int limit) {
    if (targets == 0) {
      throw Problem.of(404, "no-task-for-signal",
          "no unfinished task with this correlation id waits for a signal " + name);
    }
    if (targets > limit) {
      throw new Problem(409, "too-many-receivers",
          "limit: more than " + limit
              + " tasks with this correlation id wait for the signal; nothing was sent",
          List.of(new Violation("limit", "more than " + limit + " tasks wait for the signal")),
          Map.of());
    }
  }

  /**
   * The payload as each task gets it: the same for all of one namespace and schema, sealed as that
   * says.
   *
   * @param targets of each task {@code {namespace, schema}}; the schema may be null
   * @return the tasks by payload; one group unless something is sealed
   * @throws Problem 400 invalid-payload, 422 not-validated, 503 document-key-missing, 409
   *   document-not-opened
   */
  public Map<JsonValue, List<UUID>> checked(List<UUID> tasks, List<JsonObject> targets,
      JsonValue payload) {
    Map<JsonObject, JsonValue> known = new HashMap<>();
    Map<JsonValue, List<UUID>> receivers = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      JsonObject target = Json.build().createObjectBuilder()
          .add("namespace", targets.get(i).get("namespace"))
          .add("schema", targets.get(i).getOrDefault("schema", JsonValue.NULL)).build();
      receivers.computeIfAbsent(known.computeIfAbsent(target, each -> accepted(each, payload)),
          none -> new ArrayList<>()).add(tasks.get(i));
    }
    return receivers;
  }

  private JsonValue accepted(JsonObject target, JsonValue payload) {
    JsonValue schema = target.get("schema");
    return schema == JsonValue.NULL ? payload
        : ContextSchema.compile(schema.toString()).accept(payload, seals,
            target.getString("namespace"), "payload", () -> Problem.of(400, "invalid-payload",
                "the payload does not fit the schema of the signal"));
  }
}
