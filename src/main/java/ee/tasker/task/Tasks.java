package ee.tasker.task;

import ee.tasker.engine.model.TaskState;
import ee.tasker.engine.reply.CancelReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The component's door for tasks that are there: reads them and cancels them. Thread-safe. */
@ApplicationScoped
public class Tasks {
  private static final Log LOG = Log.of(Tasks.class);

  /** What a cancel does to steps that are already running. */
  public enum CancelPolicy { ALLOW_FINISH, CANCEL_RUNNING }

  /** Whether a cancel is one for the tasks, too, that were submitted on behalf of the task. */
  public enum Children { CANCEL, LEAVE }

  /**
   * @param by    who asks
   * @param grace how long running steps may take to stop; empty for what the template, or else the configuration says
   */
  public record CancelRequest(String by, String reason, CancelPolicy policy, Optional<Duration> grace, Children children) {
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

  /** The task as REST shows it, with its context and the readiness of its steps. */
  @Transactional
  public Optional<JsonObject> describe(UUID taskUuid) {
    return gateway.getTaskDocuments(List.of(taskUuid), true).stream().map(JsonObject.class::cast).findFirst();
  }

  /** Only the state: much cheaper than {@link #describe}. */
  @Transactional
  public Optional<TaskState> state(UUID taskUuid) {
    return Optional.ofNullable(gateway.getCurrentTaskState(taskUuid)).map(TaskState::of);
  }

  /** @param before null for the first page, otherwise the {@code next} of the page before */
  @Transactional
  public JsonObject list(JsonObject filter, int limit, UUID before) {
    return gateway.listTasks(filter, limit, before);
  }

  /** Empty when there is no such task. */
  @Transactional
  public JsonArray steps(UUID taskUuid) {
    return gateway.getStepDocuments(taskUuid, null);
  }

  @Transactional
  public Optional<JsonObject> step(UUID taskUuid, UUID stepUuid) {
    return gateway.getStepDocuments(taskUuid, stepUuid).stream().map(JsonObject.class::cast).findFirst();
  }

  @Transactional
  public JsonArray audit(UUID taskUuid, UUID stepUuid) {
    return gateway.getStepAudit(taskUuid, stepUuid);
  }

  /**
   * Asks for a task to be cancelled; asking twice is the same as asking once.
   *
   * @throws Problem 404 task-not-found, 409 task-already-ended
   */
  @Transactional
  public void cancel(UUID taskUuid, CancelRequest request) {
    CancelReply reply = CancelReply.of(Refusals
        .check(gateway.requestCancel(taskUuid, request.by(), request.reason(), request.policy().name().toLowerCase(Locale.ROOT),
            request.grace().map(Duration::toSeconds).orElse(null), request.children().name().toLowerCase(Locale.ROOT),
            settings.recovery().cancelGrace().toSeconds()), () -> notFound(taskUuid)));
    TaskState state = reply.state();
    if (reply.isTooLate()) {
      throw new Problem(409, "task-already-ended", "task " + taskUuid + " has already ended as " + state, List.of(),
          Map.of("state", state.word()));
    }
    LOG.write(LogEvent.CANCEL_REQUESTED, "task", taskUuid, "by", caller.actor(request.by()), "claimed_actor",
        caller.claimedActor(request.by()), "reason", request.reason(),
        "policy", request.policy(), "children", request.children(), "state", state);
    afterCommit.run(() -> {
      workNotifier.tasksEnded(reply.ended());
      completionWaiters.observed(taskUuid, state);
      workNotifier.cancelRequested();
      workNotifier.orchestrationQueued();
    });
  }

  public static Problem notFound(UUID taskUuid) {
    return Problem.of(404, "task-not-found", "there is no task " + taskUuid);
  }

  public static Problem stepNotFound(UUID taskUuid, UUID stepUuid) {
    return Problem.of(404, "step-not-found", "there is no step " + stepUuid + " of task " + taskUuid);
  }
}
