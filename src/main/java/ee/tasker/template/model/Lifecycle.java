package ee.tasker.template.model;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How long a task may take and what follows when it takes longer. A limit that is empty leaves the
 * server's own.
 *
 * @param slaMinutes         the priority of a task older than this rises
 * @param cancelGraceSeconds how long running steps may take to stop when the task is cancelled
 * @param unservedSeconds    how long a step waits for a live worker that has its handler; 0 without
 *   a limit
 * @param retentionDays      how long a task is kept after its end
 * @param maxStepsPerDecision how many steps one decision may create, {@value
 *   Limits#DEFAULT_STEPS_PER_DECISION} by default
 * @param maxBatchesPerStep  how many batches one batchable step may make, {@value
 *   Limits#DEFAULT_BATCHES_PER_STEP} by default
 * @param maxDecisionDepth   how deep decisions may follow from decisions, {@value
 *   Limits#DEFAULT_DECISION_DEPTH} by default
 * @param maxChildDepth      how deep child tasks may be below the topmost task, {@value
 *   Limits#DEFAULT_CHILD_DEPTH} by default
 * @param maxDuration        a duration of ISO 8601; a task older than this ends as onTimeout says
 * @param onFailure          what happens to a task that would be blocked because a step has failed
 * @param publishesEvents    of what the engine publishes domain events itself
 */
public record Lifecycle(OptionalInt maxDurationMinutes,
    OptionalInt maxWaitingForDependenciesMinutes, OptionalInt maxWaitingForRetryMinutes,
    OptionalInt maxStepsInProcessMinutes, StalenessAction stalenessAction,
    boolean autoFailOnTimeout, boolean autoDlqOnTimeout, OnStepError onStepError,
    OptionalInt slaMinutes, OptionalInt cancelGraceSeconds, OptionalInt unservedSeconds,
    OptionalInt retentionDays, OptionalInt maxStepsPerDecision, OptionalInt maxDecisionDepth,
    OptionalInt maxBatchesPerStep, OptionalInt maxChildDepth, Optional<String> maxDuration,
    TimeoutAction onTimeout, OnFailure onFailure, Set<PublishedLifecycle> publishesEvents) {

  public static final Lifecycle DEFAULT = new Lifecycle(OptionalInt.empty(), OptionalInt.empty(),
      OptionalInt.empty(), OptionalInt.empty(), StalenessAction.DLQ, false, false, OnStepError.STOP,
      OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(),
      OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(),
      Optional.empty(), TimeoutAction.FAIL, OnFailure.BLOCK, Set.of());

  public Lifecycle {
    Checks.range(maxDurationMinutes, "max_duration_minutes", 1, Limits.DURATION_MINUTES);
    Checks.range(maxWaitingForDependenciesMinutes, "max_waiting_for_dependencies_minutes", 1,
        Limits.WAITING_MINUTES);
    Checks.range(maxWaitingForRetryMinutes, "max_waiting_for_retry_minutes", 1,
        Limits.WAITING_MINUTES);
    Checks.range(maxStepsInProcessMinutes, "max_steps_in_process_minutes", 1,
        Limits.WAITING_MINUTES);
    Checks.present(stalenessAction, "staleness_action");
    Checks.present(onStepError, "on_step_error");
    Checks.range(slaMinutes, "sla_minutes", 1, Limits.DURATION_MINUTES);
    Checks.range(cancelGraceSeconds, "cancel_grace_seconds", 0, Limits.TIMEOUT_SECONDS);
    Checks.range(unservedSeconds, "unserved_seconds", 0, Limits.UNSERVED_SECONDS);
    Checks.range(retentionDays, "retention_days", 0, Limits.RETENTION_DAYS);
    Checks.range(maxStepsPerDecision, "max_steps_per_decision", 1, Limits.STEPS_PER_DECISION);
    Checks.range(maxDecisionDepth, "max_decision_depth", 1, Limits.DECISION_DEPTH);
    Checks.range(maxBatchesPerStep, "max_batches_per_step", 1, Limits.BATCHES_PER_STEP);
    Checks.present(onFailure, "on_failure");
    Checks.present(publishesEvents, "publishes_events");
    publishesEvents = Set.copyOf(publishesEvents);
    Checks.range(maxChildDepth, "max_child_depth", 0, Limits.CHILD_DEPTH);
    Checks.present(maxDuration, "max_duration");
    maxDuration.ifPresent(text -> Checks.require(isTimeLimit(text),
        "max_duration must be a duration above zero, but is " + text));
    Checks.present(onTimeout, "on_timeout");
    Checks.require(maxDuration.isPresent() || onTimeout == TimeoutAction.FAIL,
        "on_timeout needs max_duration");
  }

  /** A duration of ISO 8601 of up to ten years that is longer than nothing. */
  public static boolean isTimeLimit(String text) {
    return StepWait.isDuration(text)
        && text.chars().anyMatch(digit -> digit >= '1' && digit <= '9');
  }
}
