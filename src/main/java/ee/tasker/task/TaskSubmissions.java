package ee.tasker.task;

import ee.tasker.message.WakeUps;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Json;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.platform.Storable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Submits tasks from Java. Joins the caller's JTA transaction, or brings its own: the task is there if and only if that
 * transaction commits, and nothing of it runs before.
 *
 * <p>Thread-safe. Throws {@link Problem} for what is wrong with a request; the transaction is then to be rolled back.
 */
@ApplicationScoped
public class TaskSubmissions {
  private static final Log LOG = Log.of(TaskSubmissions.class);

  @Inject
  private TaskGateway gateway;

  @Inject
  private RequestCheck check;

  @Inject
  private Settings settings;

  @Inject
  private WakeUps wakeUps;

  @Inject
  private AfterCommit afterCommit;

  /** @return the new task, or the one that was there when the request is a duplicate */
  @Transactional
  public SubmittedTask submit(TaskRequest request) {
    return submitAll(List.of(request)).get(0);
  }

  /** All or none, in one call to the database; answers in the order of the requests. */
  @Transactional
  public List<SubmittedTask> submitAll(List<TaskRequest> requests) {
    requests.forEach(TaskSubmissions::requireStorable);
    requests.forEach(check::check);
    boolean starts = settings.has(Role.ORCHESTRATOR);
    JsonObject reply = gateway.submitTasks(toJson(requests), 0, settings.worker().lease().toSeconds(), starts);
    afterCommit.run(starts ? wakeUps::stepsQueued : wakeUps::orchestrationQueued);
    List<SubmittedTask> submitted = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      submitted.add(verdict(requests.get(i), reply.getJsonArray("verdicts").getJsonObject(i)));
    }
    return submitted;
  }

  /**
   * Checked requests in a transaction of their own, each with its own verdict, roots claimed for this server as far as it
   * has free hands. For {@link Intake} only.
   */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public JsonObject submitChecked(List<TaskRequest> requests, int claimLimit) {
    return gateway.submitTasks(toJson(requests), claimLimit, settings.worker().lease().toSeconds(), settings.has(Role.ORCHESTRATOR));
  }

  private static void requireStorable(TaskRequest request) {
    request.toJson().forEach((member, value) -> Storable.complaint(value).ifPresent(complaint -> {
      throw Problem.invalid(member, complaint);
    }));
  }

  static SubmittedTask verdict(TaskRequest request, JsonObject verdict) {
    switch (verdict.getString("verdict")) {
      case "created", "duplicate" -> {
        SubmittedTask task = new SubmittedTask(Json.uuid(verdict, "task_uuid"), verdict.getString("state"),
            Json.uuid(verdict, "correlation_id"), "duplicate".equals(verdict.getString("verdict")));
        LOG.write(LogEvent.TASK_CREATED, "task", task.taskUuid(), "correlation", task.correlationId(),
            "template", request.template(), "duplicate", task.isDuplicate());
        return task;
      }
      case "unknown_template" -> throw RequestCheck.unknown(request);
      case "unsupported_template" -> throw new Problem(422, "unsupported-template", verdict.getString("message"), List.of(), Map.of());
      default -> throw Problem.invalid(verdict.getString("field"), verdict.getString("message"));
    }
  }

  private static jakarta.json.JsonArray toJson(List<TaskRequest> requests) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    requests.forEach(request -> array.add(request.toJson()));
    return array.build();
  }
}
