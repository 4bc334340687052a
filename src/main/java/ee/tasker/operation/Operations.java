package ee.tasker.operation;

import ee.tasker.document.Seals;
import ee.tasker.engine.reply.ActionReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.task.Tasks;
import ee.tasker.template.ContextSchema;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The component's facade for actions on tasks and steps, pauses, and explaining why a task waits.
 * Thread-safe.
 */
@ApplicationScoped
@Transactional
public class Operations {
  private static final Log LOG = Log.of(Operations.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private Seals seals;

  @Inject
  private ActingCaller caller;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * @return as {@code tasker.act_on_step}; never refused
   * @throws Problem 404 step-not-found, 400 invalid-result when the result violates the template's
   *   schema, 422
   *     not-validated when that takes too much work, 409 when the current state does not allow the
   *     action
   */
  public JsonObject actOnStep(UUID task, UUID step, Action action) {
    if (!(gateway.getActionSchemas(task, step) instanceof JsonObject schemas)) {
      throw Tasks.stepNotFound(task, step);
    }
    Action accepted = !action.data().containsKey("result") ? action
        : action.with("result",
            accepted(schemas, "result_schema", action.data().get("result"),
                "completion_data/result", () -> Problem.of(400, "invalid-result",
                    "the result does not fit the result schema of the step")));
    JsonObject reply = Refusals.check(gateway.actOnStep(task, step, accepted),
        () -> Tasks.stepNotFound(task, step));
    tell(action, task, reply);
    return reply;
  }

  /**
   * @return as {@code tasker.act_on_task}; never refused
   * @throws Problem 404 task-not-found, 400 invalid-context when a new context violates the
   *   template's schema, 422
   *     not-validated when that takes too much work, 409 when the
   *     current state does not allow the action
   */
  public JsonObject actOnTask(UUID task, Action action) {
    JsonObject reply = Refusals.check(gateway.actOnTask(task, withContext(task, action)),
        () -> Tasks.notFound(task));
    tell(action, task, reply);
    return reply;
  }

  /**
   * Records that documents are opened, before they are.
   *
   * @param step null for the documents of the task
   * @throws Problem 404 task-not-found, step-not-found
   */
  public void recordOpening(UUID task, UUID step, String by, String reason) {
    Refusals.check(gateway.recordOpening(task, step, by, reason), () -> Tasks.notFound(task));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "open_documents", "task", task, "step", step, "by",
        caller.actor(by), "claimed_actor", caller.claimedActor(by), "reason", reason);
  }

  /**
   * Makes a new task that runs again from the steps on that the action names.
   *
   * @return the new task
   * @throws Problem 404 task-not-found, 400 invalid-context when a new context violates the
   *   template's schema, 422
   *     not-validated when that takes too much work, 409 fork-not-possible
   */
  public UUID fork(UUID source, Action action) {
    JsonObject reply = Refusals.check(gateway.forkTask(source, withContext(source, action)),
        () -> Tasks.notFound(source));
    tell(action, source, reply);
    return Json.uuid(reply, "task_uuid");
  }

  /**
   * @param before null for the first page
   * @return as {@code tasker.get_fork_documents}
   * @throws Problem 404 task-not-found
   */
  public JsonObject forks(UUID task, int limit, UUID before) {
    if (gateway.getForkDocuments(task, limit, before) instanceof JsonObject document) {
      return document;
    }
    throw Tasks.notFound(task);
  }

  /** The action with its new context, if it has one, as it may be stored. */
  private Action withContext(UUID task, Action action) {
    if (action.data().containsKey("context")
        && gateway.getActionSchemas(task, null) instanceof JsonObject schemas) {
      return action.with("context",
          accepted(schemas, "input_schema", action.data().get("context"), "context",
              () -> Problem.of(400, "invalid-context",
                  "the context does not fit the input schema of template "
                      + schemas.getString("template"))));
    }
    return action;
  }

  private JsonValue accepted(JsonObject schemas, String schema, JsonValue document, String field,
      Supplier<Problem> misfit) {
    return schemas.isNull(schema) ? document
        : ContextSchema.compile(schemas.get(schema).toString()).accept(document, seals,
            schemas.getString("namespace"), field, misfit);
  }

  private void tell(Action action, UUID task, JsonObject reply) {
    LOG.write(LogEvent.OPERATOR_ACTED, "action", action.name(), "task", task, "by",
        caller.actor(action.by()), "claimed_actor", caller.claimedActor(action.by()), "reason",
        action.reason(), "outcome", Refusals.outcome(reply));
    wakeAfterCommit(reply);
  }

  private void wakeAfterCommit(JsonObject reply) {
    ActionReply moved = ActionReply.of(reply);
    afterCommit.run(() -> {
      workNotifier.changed();
      workNotifier.acted(moved);
    });
  }

  /** The history of a task, oldest first; empty when the task does not exist. */
  public JsonArray history(UUID task) {
    return gateway.getTaskHistory(task);
  }

  /**
   * @param showsContext whether context values may be shown
   * @param showsErrors whether error messages of handlers may be shown
   * @throws Problem 404 task-not-found
   */
  public JsonObject why(UUID task, boolean showsContext, boolean showsErrors) {
    if (gateway.getWaitingDocument(task, showsContext,
        showsErrors) instanceof JsonObject document) {
      return document;
    }
    throw Tasks.notFound(task);
  }

  public JsonArray pauses() {
    return gateway.getPauses();
  }

  /**
   * @param name null for the whole namespace
   * @param version null for all existing versions
   */
  public JsonObject pause(String namespace, String name, String version, String by, String reason) {
    JsonObject reply = Refusals.check(gateway.pauseTemplates(namespace, name, version, by, reason),
        Operations::templateNotFound);
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "pause", "namespace", namespace, "name", name,
        "version", version, "by", caller.actor(by),
        "claimed_actor", caller.claimedActor(by), "reason", reason);
    return reply;
  }

  /** The arguments are those of {@link #pause}. */
  public JsonObject resume(String namespace, String name, String version, String by,
      String reason) {
    JsonObject reply = Refusals.check(gateway.resumeTemplates(namespace, name, version, by, reason),
        Operations::templateNotFound);
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "resume", "namespace", namespace, "name", name,
        "version", version, "by", caller.actor(by),
        "claimed_actor", caller.claimedActor(by), "reason", reason);
    afterCommit.run(workNotifier::orchestrationQueued);
    return reply;
  }

  static Problem templateNotFound() {
    return Problem.of(404, "template-not-found", "no such namespace or template");
  }

  /**
   * @param maker the only caller who may use the token
   * @param background whether servers are to do it in parts even if the tasks are few
   * @param resolution as what close_dead_letters closes them; null for other actions
   * @return as {@code tasker.preview_bulk_action}, with a token
   * @throws Problem 409 too-many-tasks
   */
  public JsonObject preview(String action, JsonObject filter, String by, String reason,
      String maker, boolean background, String resolution) {
    JsonObject reply = gateway.previewBulkAction(action, filter, by, reason, maker, background,
        resolution);
    if (!reply.containsKey("token")) {
      throw new Problem(409, "too-many-tasks",
          "the filter matches more than " + reply.getInt("limit") + " tasks; narrow it", List.of(),
          Map.of());
    }
    return reply;
  }

  /**
   * @param maker the caller
   * @return as {@code tasker.run_bulk_action}; never refused
   * @throws Problem 404 token-not-found, also for another caller's token, 409
   */
  public JsonObject run(UUID token, String maker) {
    JsonObject reply = Refusals.check(gateway.runBulkAction(token, maker),
        Operations::tokenNotFound);
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "bulk " + reply.getString("action"), "token",
        token, "tasks", reply.getInt("count"), "by", caller.name(),
        "outcome", Refusals.outcome(reply));
    wakeAfterCommit(reply);
    if ("started".equals(Refusals.outcome(reply))) {
      afterCommit.run(workNotifier::orchestrationQueued);
    }
    return reply;
  }

  /**
   * @param namespaces null for all
   * @param before null for the first page
   * @return as {@code tasker.list_bulk_actions}
   */
  public JsonObject bulkActions(JsonArray namespaces, int limit, UUID before) {
    return gateway.listBulkActions(namespaces, limit, before);
  }

  /**
   * @return as {@code tasker.get_bulk_action_document}
   * @throws Problem 404 token-not-found
   */
  public JsonObject describeBulkAction(UUID token) {
    if (gateway.getBulkActionDocument(token) instanceof JsonObject document) {
      return document;
    }
    throw tokenNotFound();
  }

  /**
   * @param outcome null for all
   * @param after null for the first page
   * @return as {@code tasker.list_bulk_action_tasks}
   * @throws Problem 404 token-not-found
   */
  public JsonObject bulkActionTasks(UUID token, String outcome, int limit, UUID after) {
    describeBulkAction(token);
    return gateway.listBulkActionTasks(token, outcome, limit, after);
  }

  /**
   * Ends an action in the background; what it has not come to stays as it is.
   *
   * @return as {@code tasker.cancel_bulk_action}; never refused
   * @throws Problem 404 token-not-found, 409 bulk-action-not-running
   */
  public JsonObject cancelBulkAction(UUID token, String by) {
    JsonObject reply = Refusals.check(gateway.cancelBulkAction(token, by),
        Operations::tokenNotFound);
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "cancel bulk " + reply.getString("action_type"),
        "token", token, "tasks", reply.getInt("count"),
        "by", caller.name(), "outcome", Refusals.outcome(reply));
    return reply;
  }

  /** What a token authorises. */
  public record BulkAction(String action, String namespace) {
  }

  /**
   * @param maker the caller
   * @return empty when the token does not exist or belongs to another caller; its namespace is null
   *   for an action on all
   *     namespaces
   */
  public Optional<BulkAction> bulkAction(UUID token, String maker) {
    return gateway.getBulkAction(token, maker) instanceof JsonObject found
        ? Optional.of(new BulkAction(found.getString("action"), found.getString("namespace", null)))
        : Optional.empty();
  }

  public static Problem tokenNotFound() {
    return Problem.of(404, "token-not-found", "unknown token; a dry run returns one");
  }
}
