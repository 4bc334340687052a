package ee.tasker.task;

import ee.tasker.engine.model.TaskState;
import ee.tasker.engine.reply.CancelReply;
import ee.tasker.engine.reply.EndedTask;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The facade for existing tasks: reads and cancels them. Thread-safe. */
@ApplicationScoped
public class Tasks {
  private static final Log LOG = Log.of(Tasks.class);

  /** How a cancel affects running steps. */
  public enum CancelPolicy {
    ALLOW_FINISH, CANCEL_RUNNING
  }

  /** Whether a cancel also cancels the tasks that were submitted on behalf of the task. */
  public enum Children {
    CANCEL, LEAVE
  }

  /**
   * @param by    who requests the cancel
   * @param grace how long running steps may take to stop; empty for the time of the template, or
   *   else of the configuration
   */
  public record CancelRequest(String by, String reason, CancelPolicy policy,
      Optional<Duration> grace, Children children, boolean compensates) {
  }

  @Inject
  private TaskGateway gateway;

  @Inject
  private Settings settings;

  @Inject
  private CompletionWaiters completionWaiters;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  @Inject
  private ActingCaller caller;

  /**
   * The task as REST returns it, with its context and the readiness of its steps. One statement,
   * which needs no transaction of its own.
   */
  @Transactional(TxType.SUPPORTS)
  public Optional<JsonObject> describe(UUID taskUuid) {
    return describe(taskUuid, null);
  }

  /** @param mostBytes a longer context or output is left out; null for all */
  @Transactional(TxType.SUPPORTS)
  public Optional<JsonObject> describe(UUID taskUuid, Integer mostBytes) {
    return gateway.getTaskDocuments(List.of(taskUuid), mostBytes).stream()
        .map(JsonObject.class::cast).findFirst();
  }

  /** Several at once, whole; unknown ones are left out. */
  @Transactional(TxType.SUPPORTS)
  public Map<UUID, JsonObject> describe(List<UUID> taskUuids) {
    return gateway.getTaskDocuments(taskUuids);
  }

  /** Why tasks are blocked or waiting, one sentence for each that is, by the UUID's text. */
  @Transactional
  public JsonObject explain(List<UUID> taskUuids) {
    return taskUuids.isEmpty() ? JsonValue.EMPTY_JSON_OBJECT : gateway.explainTasks(taskUuids);
  }

  /**
   * The step that failed with its error, and the search attributes, as {@code
   * tasker.get_task_captions}, by the UUID's text.
   */
  @Transactional
  public JsonObject captions(List<UUID> taskUuids) {
    return taskUuids.isEmpty() ? JsonValue.EMPTY_JSON_OBJECT : gateway.getTaskCaptions(taskUuids);
  }

  /**
   * A part of a document as {@code tasker.read_document}; never refused.
   *
   * @param stepUuid null for a document of the task
   * @param attempt null for the latest
   * @throws Problem 404 task-not-found, step-not-found or document-not-found, 400 when the pointer
   *   leads to nothing
   */
  @Transactional
  public JsonObject read(UUID taskUuid, UUID stepUuid, String document, Integer attempt,
      String pointer, int offset, int limit) {
    if (gateway.readDocument(taskUuid, stepUuid, document, attempt, pointer, offset,
        limit) instanceof JsonObject part) {
      return Refusals.check(part,
          () -> Problem.of(404, "document-not-found", "there is no " + document));
    }
    throw stepUuid == null ? notFound(taskUuid) : stepNotFound(taskUuid, stepUuid);
  }

  /** The state only: much cheaper than {@link #describe}. */
  @Transactional
  public Optional<TaskState> state(UUID taskUuid) {
    return Optional.ofNullable(gateway.getCurrentTaskState(taskUuid)).map(TaskState::of);
  }

  /** @param cursor null for the first page, otherwise the {@code next} of the page before */
  @Transactional
  public JsonObject list(JsonObject filter, int limit, UUID cursor) {
    return gateway.listTasks(filter, limit, cursor);
  }

  /** @return as {@code tasker.count_tasks} */
  @Transactional
  public JsonObject count(JsonObject filter) {
    return gateway.countTasks(filter);
  }

  /**
   * A page of the workers of a batch: {@code {steps, next}}; empty when the task has no such batch.
   *
   * @param state        only the workers in this state; null for all
   * @param isWithStates also {@code states}, with a letter for each of the next workers, as {@code
   *   tasker.get_batch_states}
   */
  @Transactional
  public JsonObject batchWorkers(UUID taskUuid, UUID batchStep, int after, int limit, String state,
      boolean isWithStates, Integer mostBytes) {
    return gateway.listBatchWorkers(taskUuid, batchStep, after, limit, state, isWithStates,
        mostBytes);
  }

  /**
   * A page of the child tasks that its steps submitted: {@code {children, next}}; empty when there
   * is no such task.
   */
  @Transactional
  public Optional<JsonObject> children(UUID taskUuid, UUID after, int limit) {
    return gateway.getChildDocuments(taskUuid, after, limit) instanceof JsonObject page
        ? Optional.of(page) : Optional.empty();
  }

  /**
   * The steps without the workers of batches. Empty when there is no such task.
   *
   * @param mostBytes longer results and errors are left out; null for all
   */
  @Transactional
  public JsonArray steps(UUID taskUuid, Integer mostBytes) {
    return gateway.getStepDocuments(taskUuid, null, mostBytes);
  }

  @Transactional
  public Optional<JsonObject> step(UUID taskUuid, UUID stepUuid) {
    return step(taskUuid, stepUuid, null);
  }

  /** @param mostBytes a longer result or error is left out; null for all */
  @Transactional
  public Optional<JsonObject> step(UUID taskUuid, UUID stepUuid, Integer mostBytes) {
    return gateway.getStepDocuments(taskUuid, stepUuid, mostBytes).stream()
        .map(JsonObject.class::cast).findFirst();
  }

  @Transactional
  public JsonArray audit(UUID taskUuid, UUID stepUuid, Integer mostBytes) {
    return gateway.getStepAudit(taskUuid, stepUuid, mostBytes);
  }

  /**
   * Requests the cancel of a task; idempotent.
   *
   * @throws Problem 404 task-not-found, 409 task-already-ended
   */
  @Transactional
  public void cancel(UUID taskUuid, CancelRequest request) {
    CancelReply reply = CancelReply.of(Refusals
        .check(
            gateway.requestCancel(taskUuid, request.by(), request.reason(),
                request.policy().name().toLowerCase(Locale.ROOT),
                request.grace().map(Duration::toSeconds).orElse(null),
                request.children().name().toLowerCase(Locale.ROOT),
                settings.recovery().cancelGrace().toSeconds(), request.compensates()),
            () -> notFound(taskUuid)));
    TaskState state = reply.state();
    if (reply.isTooLate()) {
      throw new Problem(409, "task-already-ended",
          "task " + taskUuid + " has already ended as " + state, List.of(),
          Map.of("state", state.word()));
    }
    LOG.write(LogEvent.CANCEL_REQUESTED, "task", taskUuid, "by", caller.actor(request.by()),
        "claimed_actor", caller.claimedActor(request.by()), "reason", request.reason(),
        "policy", request.policy(), "children", request.children(), "state", state);
    afterCommit.run(() -> {
      workNotifier.tasksEnded(reply.ended());
      completionWaiters.observed(EndedTask.of(taskUuid, state));
      workNotifier.cancelRequested();
      workNotifier.orchestrationQueued();
    });
  }

  public static Problem notFound(UUID taskUuid) {
    return RequestCheck.unknownTask(taskUuid);
  }

  public static Problem stepNotFound(UUID taskUuid, UUID stepUuid) {
    return Problem.of(404, "step-not-found",
        "there is no step " + stepUuid + " of task " + taskUuid);
  }
}
