package ee.tasker.operation;

import ee.tasker.engine.reply.ActionReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.UUID;

/**
 * The component's facade for erasing personal data: the documents of a task, or of all tasks with a
 * value of a search attribute. Thread-safe. The log names the attribute and never its value.
 */
@ApplicationScoped
@Transactional
public class Erasure {
  private static final Log LOG = Log.of(Erasure.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private ActingCaller caller;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * @param namespaces where the caller may erase; null for all
   * @return as {@code tasker.erase_task_documents}; never refused
   * @throws ee.tasker.platform.Problem 404 task-not-found, 403 not-permitted, 409 task-not-erasable
   *   or steps-in-flight
   */
  public JsonObject erase(UUID task, Request request, boolean force, JsonArray namespaces) {
    JsonObject reply = Refusals.check(
        gateway.eraseTaskDocuments(task, request, force, namespaces), () -> Tasks.notFound(task));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "erase", "task", task, "tasks",
        reply.getInt("tasks"), "by", caller.actor(request.by()), "claimed_actor",
        caller.claimedActor(request.by()), "reason", request.reason(), "outcome",
        Refusals.outcome(reply));
    ActionReply moved = ActionReply.of(reply);
    if (!moved.ended().isEmpty()) {
      afterCommit.run(() -> {
        workNotifier.changed();
        workNotifier.tasksEnded(moved.ended());
      });
    }
    return reply;
  }

  /**
   * @param after null for the first slice
   * @param namespaces where the caller may erase; null for all
   * @return as {@code tasker.erase_tasks_by_attribute}; never refused
   * @throws ee.tasker.platform.Problem 404 template-not-found, 400 when no such template has the
   *   search attribute
   */
  public JsonObject erase(Tagged tagged, Request request, boolean dryRun, int limit, UUID after,
      JsonArray namespaces) {
    JsonObject reply = Refusals.check(
        gateway.eraseTasksByAttribute(tagged, request, dryRun, limit, after, namespaces),
        Operations::templateNotFound);
    if (!dryRun) {
      LOG.write(LogEvent.OPERATOR_ACTED, "action", "erase by attribute", "namespace",
          tagged.namespace(), "name", tagged.template(), "attribute", tagged.attribute(), "tasks",
          reply.getInt("tasks"), "by", caller.actor(request.by()), "claimed_actor",
          caller.claimedActor(request.by()), "reason", request.reason());
    }
    return reply;
  }

  /**
   * Who asks for an erasure, and why.
   *
   * @param children whether the descendants of a task are erased with it
   */
  public record Request(String by, String reason, boolean children) {
  }

  /**
   * The tasks that have a value of a search attribute.
   *
   * @param template null for all templates of the namespace
   */
  public record Tagged(String namespace, String template, String attribute, String value) {
  }
}
