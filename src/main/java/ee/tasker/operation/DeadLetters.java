package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.UUID;

/**
 * The component's facade for dead letters and staleness. A dead letter never changes its task's
 * state. Thread-safe.
 */
@ApplicationScoped
@Transactional
public class DeadLetters {
  private static final Log LOG = Log.of(DeadLetters.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private ActingCaller caller;

  /**
   * A page, newest first: {@code {entries, next}}.
   *
   * @param filter as {@code tasker.get_dlq_documents} expects it
   */
  public JsonObject list(JsonObject filter, int limit, UUID before) {
    return gateway.getDlqDocuments(filter, limit, before);
  }

  /** The newest match. */
  public Optional<JsonObject> find(JsonObject filter) {
    return gateway.getDlqDocuments(filter, 1, null).getJsonArray("entries")
        .getValuesAs(JsonObject.class).stream().findFirst();
  }

  public JsonArray statistics() {
    return gateway.getDlqStatistics();
  }

  /**
   * {@code {entries, next}}, the most urgent first.
   *
   * @param after null for the first page, otherwise {@code next} of the previous page
   */
  public JsonObject investigationQueue(int limit, UUID after) {
    return gateway.getDlqInvestigationQueue(limit, after);
  }

  /**
   * {@code {tasks, next}}, the most overdue first.
   *
   * @param after null for the first page, otherwise {@code next} of the previous page
   */
  public JsonObject staleness(int limit, String after) {
    return gateway.getStaleness(limit, after);
  }

  /**
   * Opens an investigation of a task.
   *
   * @return as {@code tasker.send_task_to_dlq}
   * @throws Problem 404 task-not-found
   */
  public JsonObject open(UUID task, String by, String reason) {
    JsonObject reply = Refusals.check(gateway.sendTaskToDlq(task, by, reason),
        () -> Tasks.notFound(task));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "send_to_dlq", "task", task, "by",
        caller.actor(by), "claimed_actor", caller.claimedActor(by), "reason", reason,
        "outcome", Refusals.outcome(reply));
    return reply;
  }

  /**
   * @param status null leaves it open @throws Problem 404 dead-letter-not-found, 409
   * dead-letter-closed
   */
  public void update(UUID entry, String status, String by, String notes, JsonObject metadata) {
    JsonObject reply = Refusals.check(gateway.updateDlqEntry(entry, status, by, notes, metadata),
        () -> notFound(entry));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "update_dlq_entry", "entry", entry, "by",
        caller.actor(by), "claimed_actor", caller.claimedActor(by), "reason", notes,
        "outcome", Refusals.outcome(reply));
  }

  public static Problem notFound(UUID entry) {
    return notFound("there is no dead letter " + entry);
  }

  public static Problem notFound(String what) {
    return Problem.of(404, "dead-letter-not-found", what);
  }
}
