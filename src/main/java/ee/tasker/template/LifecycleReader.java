package ee.tasker.template;

import ee.tasker.template.model.Lifecycle;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.OnFailure;
import ee.tasker.template.model.OnStepError;
import ee.tasker.template.model.PublishedLifecycle;
import ee.tasker.template.model.StalenessAction;
import ee.tasker.template.model.TimeoutAction;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads {@code lifecycle}. */
final class LifecycleReader {
  private LifecycleReader() {}

  static Lifecycle read(Keys template) {
    return template.find("lifecycle").flatMap(Located::keys).map(keys -> {
      var maxDuration = keys.find("max_duration").flatMap(LifecycleReader::timeLimit);
      var onTimeout = keys.find("on_timeout");
      onTimeout.filter(place -> keys.find("max_duration").isEmpty())
          .ifPresent(place -> place.refuse("needs a max_duration beside it"));
      var lifecycle = new Lifecycle(
          RetryReader.number(keys, "max_duration_minutes", 1, Limits.DURATION_MINUTES),
          waiting(keys, "max_waiting_for_dependencies_minutes"),
          waiting(keys, "max_waiting_for_retry_minutes"),
          waiting(keys, "max_steps_in_process_minutes"),
          keys.find("staleness_action").flatMap(value -> value.oneOf(StalenessAction.class))
              .orElse(StalenessAction.DLQ),
          keys.find("auto_fail_on_timeout").flatMap(Located::flag).orElse(false),
          keys.find("auto_dlq_on_timeout").flatMap(Located::flag).orElse(false),
          keys.find("on_step_error").flatMap(value -> value.oneOf(OnStepError.class))
              .orElse(OnStepError.STOP),
          RetryReader.number(keys, "sla_minutes", 1, Limits.DURATION_MINUTES),
          RetryReader.number(keys, "cancel_grace_seconds", 0, Limits.TIMEOUT_SECONDS),
          RetryReader.number(keys, "unserved_seconds", 0, Limits.UNSERVED_SECONDS),
          RetryReader.number(keys, "retention_days", 0, Limits.RETENTION_DAYS),
          RetryReader.number(keys, "max_steps_per_decision", 1, Limits.STEPS_PER_DECISION),
          RetryReader.number(keys, "max_decision_depth", 1, Limits.DECISION_DEPTH),
          RetryReader.number(keys, "max_batches_per_step", 1, Limits.BATCHES_PER_STEP),
          RetryReader.number(keys, "max_child_depth", 0, Limits.CHILD_DEPTH), maxDuration,
          onTimeout.flatMap(value -> value.oneOf(TimeoutAction.class))
              .filter(action -> maxDuration.isPresent())
              .orElse(TimeoutAction.FAIL),
          keys.find("on_failure").flatMap(value -> value.oneOf(OnFailure.class))
              .orElse(OnFailure.BLOCK),
          published(keys));
      keys.refuseOthers();
      return lifecycle;
    }).orElse(Lifecycle.DEFAULT);
  }

  private static Set<PublishedLifecycle> published(Keys keys) {
    return keys.list("publishes_events").stream()
        .map(value -> value.oneOf(PublishedLifecycle.class)).flatMap(Optional::stream)
        .collect(Collectors.toSet());
  }

  private static Optional<String> timeLimit(Located place) {
    return WaitReader.duration(place)
        .flatMap(text -> Lifecycle.isTimeLimit(text) ? Optional.of(text)
            : place.refuse("must be longer than zero"));
  }

  private static OptionalInt waiting(Keys keys, String key) {
    return RetryReader.number(keys, key, 1, Limits.WAITING_MINUTES);
  }
}
