package ee.tasker.task;

import ee.tasker.document.Seals;
import ee.tasker.engine.reply.QueuedRequest;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.engine.reply.SubmissionVerdict;
import ee.tasker.engine.reply.UncheckedTask;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.template.ContextSchema;
import ee.tasker.template.Templates;
import ee.tasker.template.ValidationTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Requests that did not arrive through Java: messages on {@code orchestration_task_requests}, and
 * tasks created by SQL.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class QueuedRequests {
  private static final Log LOG = Log.of(QueuedRequests.class);
  private static final Set<String> SIGNAL = new TreeSet<>(
      List.of("task_uuid", "correlation_id", "limit", "name", "payload", "signal_id", "sent_by"));
  private static final int MOST_RECEIVERS = 1_000;

  @Inject
  private TaskGateway gateway;

  @Inject
  private RequestCheck check;

  @Inject
  private SignalQueue signals;

  @Inject
  private Templates templates;

  @Inject
  private Seals seals;

  @Inject
  private Settings settings;

  /**
   * Takes up to {@code limit} requests off the queue and submits them in the same transaction. A
   * message with a signal queues that. An invalid request goes to
   * {@code orchestration_task_requests_refused} with its problem; a duplicate is dropped. A request
   * for which the database
   * raises an error does not hold up the others: it is refused when the fault is in its data, and
   * otherwise retried, with
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
    ValidationTime time = ValidationTime.start();
    UnaryOperator<TaskRequest> completion = check.completion();
    for (QueuedRequest message : messages) {
      if (time.isUsedUp()) {
        // The others come again after a minute.
        break;
      }
      done.add(message.id());
      try {
        if (message.message() instanceof JsonObject object
            && object.get("signal") instanceof JsonObject signal) {
          queue(signal);
          continue;
        }
        TaskRequest request = check
            .check(completion.apply(TaskRequestReader.read(requestIn(message.message()))))
            .request();
        requests.add(request.toJson());
        submitted.add(message);
      } catch (Problem problem) {
        refused.add(refusal(message, problem.code(), problem.getMessage()));
      }
    }
    SubmissionReply reply = gateway.submitQueuedRequests(requests.build(), claimLimit,
        settings.worker().lease().toSeconds());
    for (int i = 0; i < submitted.size(); i++) {
      QueuedRequest message = submitted.get(i);
      SubmissionVerdict verdict = reply.verdicts().get(i);
      if (verdict instanceof SubmissionVerdict.Failed failed) {
        if (isToComeAgain(message, failed)) {
          LOG.write(LogEvent.CALL_FAILED, "call", "submit_queued_requests", "message", message.id(),
              "cause", fault(failed));
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

  /**
   * After the database gave up a call for the first request of the queue: that one is refused.
   *
   * @return which it was; empty when there was none
   */
  public Optional<String> refuseFirst(Throwable fault) {
    Optional<QueuedRequest> first = gateway.takeTaskRequests(1).stream().findFirst();
    first.ifPresent(message -> gateway.finishTaskRequests(
        Json.build().createArrayBuilder().add(message.id()).build(),
        Json.build().createArrayBuilder()
            .add(refusal(message, "cannot-be-processed", DatabaseFaults.message(fault))).build()));
    return first.map(message -> "message " + message.id());
  }

  /**
   * A signal instead of a request: {@code task_uuid}, or {@code correlation_id} and {@code limit};
   * {@code name}, {@code payload}, {@code signal_id}, {@code sent_by}.
   */
  private void queue(JsonObject signal) {
    signal.keySet().stream().filter(member -> !SIGNAL.contains(member)).findFirst()
        .ifPresent(member -> {
          throw Problem.invalid("signal." + member,
              "unknown property; allowed: " + String.join(", ", SIGNAL));
        });
    Optional<UUID> task = uuid(signal, "task_uuid");
    Optional<UUID> correlation = uuid(signal, "correlation_id");
    if (task.isPresent() == correlation.isPresent()) {
      throw Problem.invalid("signal", "must have exactly one of task_uuid and correlation_id");
    }
    String name = text(signal, "name")
        .orElseThrow(() -> Problem.invalid("signal.name", "must be present"));
    JsonValue payload = signal.getOrDefault("payload", JsonValue.NULL);
    String id = text(signal, "signal_id").orElse(null);
    String by = text(signal, "sent_by").orElse(null);
    if (task.isPresent()) {
      signals.queue(task.get(), name, payload, id, by);
      return;
    }
    JsonValue limit = signal.getOrDefault("limit", Json.provider().createValue(1));
    if (!(limit instanceof JsonNumber number) || !number.isIntegral() || number.longValue() < 1
        || number.longValue() > MOST_RECEIVERS) {
      throw Problem.invalid("signal.limit",
          "must be a whole number between 1 and " + MOST_RECEIVERS);
    }
    signals.queueByCorrelation(correlation.get(), name, payload, id, number.intValue(), by);
  }

  private static Optional<UUID> uuid(JsonObject signal, String member) {
    return text(signal, member).map(text -> {
      try {
        return UUID.fromString(text);
      } catch (IllegalArgumentException e) {
        throw Problem.invalid("signal." + member, "must be a UUID");
      }
    });
  }

  private static Optional<String> text(JsonObject signal, String member) {
    JsonValue value = signal.get(member);
    if (value == null || value == JsonValue.NULL) {
      return Optional.empty();
    }
    if (!(value instanceof JsonString text)) {
      throw Problem.invalid("signal." + member, "must be text");
    }
    return Optional.of(text.getString());
  }

  /** A fault in the data is permanent; any other may be gone at the next delivery. */
  private boolean isToComeAgain(QueuedRequest message, SubmissionVerdict.Failed fault) {
    return !DatabaseFaults.isAboutTheData(fault.sqlState())
        && message.deliveries() < settings.recovery().deliveries();
  }

  private static String fault(SubmissionVerdict.Failed fault) {
    return fault.sqlState() + " " + fault.message();
  }

  private static JsonObjectBuilder refusal(QueuedRequest message, String code, String detail) {
    LOG.write(LogEvent.TASK_REQUEST_REFUSED, "message", message.id(), "code", code, "detail",
        detail);
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
   * Validates the contexts of up to {@code limit} tasks created by SQL and starts those whose
   * context is valid.
   */
  public RoundReply startValidatedTasks(int limit, int claimLimit) {
    List<UncheckedTask> unchecked = gateway.takeUncheckedTasks(limit);
    if (unchecked.isEmpty()) {
      return RoundReply.NOTHING;
    }
    JsonArrayBuilder verdicts = Json.build().createArrayBuilder();
    ValidationTime time = ValidationTime.start();
    for (UncheckedTask task : unchecked) {
      verdicts.add(verdict(task));
      if (time.isUsedUp()) {
        // The others are still unchecked, and no other task has to wait for them.
        break;
      }
    }
    return gateway.startValidatedTasks(verdicts.build(), claimLimit,
        settings.worker().lease().toSeconds(), true);
  }

  /**
   * After the database gave up a call for the first of these tasks: a valid one is left to the duty
   * that takes due tasks, which sets it aside if it is that one again.
   *
   * @return which it was; empty when there was none
   */
  public Optional<String> leaveFirst() {
    Optional<UncheckedTask> first = gateway.takeUncheckedTasks(1).stream().findFirst();
    first.ifPresent(task -> gateway.startValidatedTasks(
        Json.build().createArrayBuilder().add(verdict(task)).build(), 0,
        settings.worker().lease().toSeconds(), false));
    return first.map(task -> "task " + task.taskUuid());
  }

  /** What cannot be opened here is unknown. */
  private ContextSchema.Verdict verdict(ContextSchema schema, JsonObject context,
      String namespace) {
    try {
      return schema
          .validate(schema.sealed().isNone() ? context : seals.open(context, namespace));
    } catch (Problem notOpened) {
      return new ContextSchema.Verdict.Undecided(notOpened.getMessage());
    }
  }

  private JsonObjectBuilder verdict(UncheckedTask task) {
    ContextSchema.Verdict verdict = templates.find(task.templateUuid())
        .flatMap(template -> template.inputSchema()
            .map(schema -> verdict(schema, task.context(), template.key().namespace())))
        .orElseGet(ContextSchema.Verdict.Valid::new);
    JsonArrayBuilder violations = Json.build().createArrayBuilder();
    verdict.complaints().forEach(violation -> violations.add(Json.build().createObjectBuilder()
        .add("field", "context" + violation.pointer()).add("message", violation.message())));
    JsonObjectBuilder document = Json.build().createObjectBuilder()
        .add("task_uuid", task.taskUuid().toString()).add("violations", violations);
    return verdict instanceof ContextSchema.Verdict.Undecided
        ? document.add("reason", "context_not_validated") : document;
  }
}
