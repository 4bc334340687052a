package ee.tasker.task;

import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.engine.reply.SubmissionVerdict;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.tracing.Tracing;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The transactions of {@link TaskSubmissions}, and those of {@code SubmissionBatcher}. */
@ApplicationScoped
public class TransactionalSubmissions implements TaskSubmissions {
  private static final Log LOG = Log.of(TransactionalSubmissions.class);

  @Inject
  private SubmissionGateway gateway;

  @Inject
  private RequestCheck check;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  @Inject
  private Tracing tracing;

  @Inject
  private Meters meters;

  @Override
  @Transactional
  public SubmittedTask submit(TaskRequest request) {
    return submitAll(List.of(request)).get(0);
  }

  @Override
  @Transactional
  public List<SubmittedTask> submitAll(List<TaskRequest> requests) {
    requests.forEach(TransactionalSubmissions::requireStorable);
    UnaryOperator<TaskRequest> completion = check.completion();
    List<TaskRequest> complete = requests.stream()
        .map(request -> check.check(completion.apply(request)).request()).toList();
    List<SubmissionVerdict> verdicts = submitJoined(traced(complete));
    List<SubmittedTask> submitted = new ArrayList<>(complete.size());
    for (int i = 0; i < complete.size(); i++) {
      submitted.add(verdict(complete.get(i), verdicts.get(i)));
    }
    return submitted;
  }

  /**
   * Each with its own outcome, in the caller's transaction: a future fails with the {@link Problem}
   * of its request; the
   * other tasks exist when the transaction commits.
   */
  @Transactional
  public List<CompletableFuture<SubmittedTask>> submitEach(List<TaskRequest> requests) {
    List<CompletableFuture<SubmittedTask>> answers = new ArrayList<>(requests.size());
    List<TaskRequest> checked = new ArrayList<>(requests.size());
    UnaryOperator<TaskRequest> completion = check.completion();
    for (TaskRequest request : requests) {
      CompletableFuture<SubmittedTask> answer = outcome(() -> {
        checked.add(check.check(completion.apply(request)).request());
        return null;
      });
      answers.add(answer);
    }
    var verdicts = submitJoined(checked).iterator();
    var asked = checked.iterator();
    for (int i = 0; i < answers.size(); i++) {
      if (!answers.get(i).isCompletedExceptionally()) {
        TaskRequest request = asked.next();
        SubmissionVerdict verdict = verdicts.next();
        answers.set(i, outcome(() -> verdict(request, verdict)));
      }
    }
    return answers;
  }

  private static CompletableFuture<SubmittedTask> outcome(Supplier<SubmittedTask> attempt) {
    try {
      return CompletableFuture.completedFuture(attempt.get());
    } catch (Problem refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  private List<SubmissionVerdict> submitJoined(List<TaskRequest> requests) {
    boolean starts = live.has(Role.ORCHESTRATOR);
    SubmissionReply reply = gateway.submitTasks(toJson(requests), 0,
        settings.worker().lease().toSeconds(), starts);
    meters.tasksRequested(requests.size());
    afterCommit
        .run(starts && !reply.hasPending() ? workNotifier::stepsQueued : this::tasksAndStepsQueued);
    return reply.verdicts();
  }

  /**
   * Submits checked requests in their own transaction, each with its own verdict, and claims up to
   * {@code claimLimit} root
   * steps for this server. For {@code SubmissionBatcher} only.
   */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public SubmissionReply submitChecked(List<TaskRequest> requests, int claimLimit) {
    return gateway.submitTasks(toJson(requests), claimLimit, settings.worker().lease().toSeconds(),
        live.has(Role.ORCHESTRATOR));
  }

  private void tasksAndStepsQueued() {
    workNotifier.orchestrationQueued();
    workNotifier.stepsQueued();
  }

  /** Sets the current span as the parent of requests that name no trace. */
  private List<TaskRequest> traced(List<TaskRequest> requests) {
    return tracing.current()
        .map(here -> requests.stream()
            .map(request -> request.isTraced() ? request : request.traceParent(here)).toList())
        .orElse(requests);
  }

  private static void requireStorable(TaskRequest request) {
    request.toJson().forEach((member, value) -> JsonbCheck.complaint(value).ifPresent(complaint -> {
      throw Problem.invalid(member, complaint);
    }));
  }

  static SubmittedTask verdict(TaskRequest request, SubmissionVerdict verdict) {
    if (verdict instanceof SubmissionVerdict.Accepted task) {
      LOG.write(LogEvent.TASK_CREATED, "task", task.taskUuid(), "correlation", task.correlationId(),
          "namespace", request.template().orElseThrow().namespace(), "template",
          request.template().orElseThrow(), "duplicate", task.isDuplicate());
      return new SubmittedTask(task.taskUuid(), task.state(), task.correlationId(), task.version(),
          task.isDuplicate(), task.replaces());
    }
    if (verdict instanceof SubmissionVerdict.UnknownTemplate) {
      throw RequestCheck.unknown(request);
    }
    if (verdict instanceof SubmissionVerdict.Invalid invalid) {
      throw Problem.invalid(invalid.field(), invalid.message());
    }
    throw new IllegalStateException("unexpected verdict of a direct submission: " + verdict);
  }

  private static JsonArray toJson(List<TaskRequest> requests) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    requests.forEach(request -> array.add(request.toJson()));
    return array.build();
  }
}
