package ee.tasker.operation;

import ee.tasker.engine.reply.ActionReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.task.SignalQueue;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Sends signals to tasks whose steps wait for them, or will. Validates payloads against the schema
 * in the template; the SQL function decides
 * everything else. Thread-safe.
 */
@ApplicationScoped
@Transactional
public class Signals {
  @Inject
  private SignalGateway gateway;

  @Inject
  private SignalQueue queue;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * @param payload  any JSON value of at most 64 KiB
   * @param signalId the sender's own id for the signal, or null
   * @return the answer of {@code tasker.send_signals} for the task; never refused
   * @throws Problem 404 task-not-found; 400 invalid-payload when the payload violates the schema;
   *   409 when the task has ended,
   *     knows no such signal, or has one with the same id and another payload; 413
   *     payload-too-large
   */
  public JsonObject send(UUID task, String name, JsonValue payload, String signalId) {
    if (!(gateway.getSignalSchema(task, name) instanceof JsonObject known)) {
      throw Tasks.notFound(task);
    }
    return Refusals.check(
        sent(queue.checked(List.of(task), List.of(known), payload), name, signalId)
            .getJsonObject(0),
        () -> Tasks.notFound(task));
  }

  /**
   * Sends to all unfinished tasks with a correlation id whose templates know the signal, or to
   * none.
   *
   * @param namespaces where the caller may send signals; null for everywhere
   * @param limit      how many tasks there may be
   * @return the answers of {@code tasker.send_signals}; one may be refused, when its task ended
   *   meanwhile
   * @throws Problem 404 no-task-for-signal when there is none, 409 too-many-receivers when there
   *   are more than {@code limit}, 400 and 413 as
   *     {@link #send}
   */
  public JsonArray sendByCorrelation(UUID correlationId, String name, JsonValue payload,
      String signalId, Set<String> namespaces, int limit) {
    List<JsonObject> targets = gateway.findSignalTargets(correlationId, name, namespaces, limit)
        .getValuesAs(JsonObject.class);
    SignalQueue.checkTargets(targets.size(), name, limit);
    JsonArray answers = sent(
        queue.checked(targets.stream().map(target -> Json.uuid(target, "task_uuid")).toList(),
            targets, payload),
        name, signalId);
    if (answers.getValuesAs(JsonObject.class).stream()
        .allMatch(answer -> "payload-too-large".equals(answer.getString("code", "")))) {
      Refusals.check(answers.getJsonObject(0), () -> Tasks.notFound(targetOf(answers)));
    }
    return answers;
  }

  private static UUID targetOf(JsonArray answers) {
    return Json.uuid(answers.getJsonObject(0), "task_uuid");
  }

  /** @param receivers by the payload that they get */
  private JsonArray sent(Map<JsonValue, List<UUID>> receivers, String name, String signalId) {
    JsonArrayBuilder answers = Json.build().createArrayBuilder();
    receivers.forEach((payload, tasks) -> sent(tasks, name, payload, signalId)
        .forEach(answers::add));
    return answers.build();
  }

  private JsonArray sent(List<UUID> tasks, String name, JsonValue payload, String signalId) {
    JsonObject reply = gateway.sendSignals(tasks, name, payload, signalId);
    ActionReply moved = ActionReply.of(reply);
    afterCommit.run(() -> {
      workNotifier.acted(moved);
      // A step may wait for the next thing now, of which an orchestrator has to know the time.
      workNotifier.orchestrationQueued();
    });
    return reply.getJsonArray("signals");
  }
}
