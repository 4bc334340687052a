package ee.tasker.task;

import ee.tasker.engine.reply.QueuedRequest;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.engine.reply.SubmissionVerdict;
import ee.tasker.engine.reply.UncheckedTask;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Settings;
import ee.tasker.template.ContextSchema;
import ee.tasker.template.Templates;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Requests that did not arrive through Java: messages on {@code orchestration_task_requests}, and tasks created by SQL. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class QueuedRequests {
  private static final Log LOG = Log.of(QueuedRequests.class);

  @Inject
  private TaskGateway gateway;

  @Inject
  private RequestCheck check;

  @Inject
  private Templates templates;

  @Inject
  private Settings settings;

  /**
   * Takes up to {@code limit} requests off the queue and submits them in the same transaction. An invalid request goes to
   * {@code orchestration_task_requests_refused} with its problem; a duplicate is dropped. A request for which the database
   * raises an error does not hold up the others: it is refused when the fault is in its data, and otherwise retried, with
   * at most {@code tasker.messages.delivery-limit} deliveries.
   */
  public RoundReply submit(int limit, int claimLimit) {
    List<QueuedRequest> messages = gateway.takeTaskRequests(limit);
    if (messages.isEmpty()) {
      return RoundReply.NOTHING;
    }
    Set<JsonValue> done = new LinkedHashSet<>();
    JsonArrayBuilder refused = Json.build().createArrayBuilder();
    JsonArrayBuilder requests = Json.build().createArrayBuilder();
    List<QueuedRequest> submitted = new ArrayList<>();
    for (QueuedRequest message : messages) {
      done.add(message.id());
      try {
        TaskRequest request = check.complete(TaskRequestReader.read(requestIn(message.message())));
        check.check(request);
        requests.add(request.toJson());
        submitted.add(message);
      } catch (Problem problem) {
        refused.add(refusal(message, problem.code(), problem.getMessage()));
      }
    }
    SubmissionReply reply = gateway.submitQueuedRequests(requests.build(), claimLimit, settings.worker().lease().toSeconds());
    for (int i = 0; i < submitted.size(); i++) {
      QueuedRequest message = submitted.get(i);
      SubmissionVerdict verdict = reply.verdicts().get(i);
      if (verdict instanceof SubmissionVerdict.Failed failed) {
        if (isToComeAgain(message, failed)) {
          LOG.write(LogEvent.CALL_FAILED, "call", "submit_queued_requests", "message", message.id(), "cause", fault(failed));
          done.remove(message.id());
        } else {
          refused.add(refusal(message, "cannot-be-processed", fault(failed)));
        }
      } else if (verdict instanceof SubmissionVerdict.Refused wrong) {
        refused.add(refusal(message, "invalid-request", wrong.field() + ": " + wrong.message()));
      }
    }
    JsonArrayBuilder finished = Json.build().createArrayBuilder();
    done.forEach(finished::add);
    gateway.finishTaskRequests(finished.build(), refused.build());
    return RoundReply.ofRequests(messages.size(), reply);
  }

  /** A fault in the data is permanent; any other may be gone at the next delivery. */
  private boolean isToComeAgain(QueuedRequest message, SubmissionVerdict.Failed fault) {
    return !DatabaseFaults.isAboutTheData(fault.sqlState()) && message.deliveries() < settings.recovery().deliveries();
  }

  private static String fault(SubmissionVerdict.Failed fault) {
    return fault.sqlState() + " " + fault.message();
  }

  private static JsonObjectBuilder refusal(QueuedRequest message, String code, String detail) {
    LOG.write(LogEvent.TASK_REQUEST_REFUSED, "message", message.id(), "code", code, "detail", detail);
    return Json.build().createObjectBuilder(message.document())
        .add("problem", Json.build().createObjectBuilder().add("code", code).add("detail", detail));
  }

  /** The bare request, or a {@code TaskRequestMessage} with the request in {@code task_request}. */
  private static JsonObject requestIn(JsonValue message) {
    if (!(message instanceof JsonObject object)) {
      throw Problem.invalid("message", "must be an object");
    }
    if (object.get("task_request") instanceof JsonObject request) {
      return request;
    }
    return object;
  }

  /**
   * Validates the contexts of up to {@code limit} tasks created by SQL and starts those whose context is valid.
   */
  public RoundReply startValidatedTasks(int limit, int claimLimit) {
    List<UncheckedTask> unchecked = gateway.takeUncheckedTasks(limit);
    if (unchecked.isEmpty()) {
      return RoundReply.NOTHING;
    }
    JsonArrayBuilder verdicts = Json.build().createArrayBuilder();
    for (UncheckedTask task : unchecked) {
      List<ContextSchema.Violation> violations = templates.find(task.templateUuid())
          .flatMap(template -> template.inputSchema())
          .map(schema -> schema.validate(task.context()))
          .orElse(List.of());
      JsonArrayBuilder array = Json.build().createArrayBuilder();
      for (ContextSchema.Violation violation : violations) {
        JsonObjectBuilder entry = Json.build().createObjectBuilder();
        array.add(entry.add("field", "context" + violation.pointer()).add("message", violation.message()));
      }
      verdicts.add(Json.build().createObjectBuilder().add("task_uuid", task.taskUuid().toString()).add("violations", array));
    }
    return gateway.startValidatedTasks(verdicts.build(), claimLimit, settings.worker().lease().toSeconds());
  }
}
