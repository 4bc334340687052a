package ee.tasker.template.model;

import java.util.OptionalInt;

/**
 * How long a task may take and what follows when it takes longer. A limit that is empty leaves the server's own.
 *
 * @param slaMinutes         the priority of a task older than this rises
 * @param cancelGraceSeconds how long running steps may take to stop when the task is cancelled
 * @param retentionDays      how long a task is kept after its end
 */
public record Lifecycle(OptionalInt maxDurationMinutes, OptionalInt maxWaitingForDependenciesMinutes,
    OptionalInt maxWaitingForRetryMinutes, OptionalInt maxStepsInProcessMinutes,
    StalenessAction stalenessAction, boolean autoFailOnTimeout, boolean autoDlqOnTimeout,
    OnStepError onStepError, OptionalInt slaMinutes, OptionalInt cancelGraceSeconds,
    OptionalInt retentionDays) {

  public static final Lifecycle DEFAULT = new Lifecycle(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(),
      OptionalInt.empty(), StalenessAction.DLQ, false, false, OnStepError.STOP, OptionalInt.empty(), OptionalInt.empty(),
      OptionalInt.empty());

  public Lifecycle {
    Checks.range(maxDurationMinutes, "max_duration_minutes", 1, Limits.DURATION_MINUTES);
    Checks.range(maxWaitingForDependenciesMinutes, "max_waiting_for_dependencies_minutes", 1, Limits.WAITING_MINUTES);
    Checks.range(maxWaitingForRetryMinutes, "max_waiting_for_retry_minutes", 1, Limits.WAITING_MINUTES);
    Checks.range(maxStepsInProcessMinutes, "max_steps_in_process_minutes", 1, Limits.WAITING_MINUTES);
    Checks.present(stalenessAction, "staleness_action");
    Checks.present(onStepError, "on_step_error");
    Checks.range(slaMinutes, "sla_minutes", 1, Limits.DURATION_MINUTES);
    Checks.range(cancelGraceSeconds, "cancel_grace_seconds", 0, Limits.TIMEOUT_SECONDS);
    Checks.range(retentionDays, "retention_days", 0, Limits.RETENTION_DAYS);
  }
}
