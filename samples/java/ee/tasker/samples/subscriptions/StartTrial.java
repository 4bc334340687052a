package ee.tasker.samples.subscriptions;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Calculates when a trial ends, and when to remind the customer: after nine tenths of it. It lasts
 * the days that the template names, or the
 * {@code trial_seconds} of the context, so that the sample can be run in seconds.
 */
@ApplicationScoped
@Handles("subscriptions.StartTrial")
public class StartTrial implements StepHandler {
  private final Clock clock;

  public StartTrial() {
    this(Clock.systemUTC());
  }

  public StartTrial(Clock clock) {
    this.clock = clock;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    Fields context = Fields.of("context", step.input());
    Duration length = context.has("trial_seconds")
        ? Duration.ofSeconds(context.integer("trial_seconds"))
        : Duration.ofDays(Fields.of("initialization", step.config()).integer("days"));
    Instant start = clock.instant();
    return StepOutcome.success(Json.createObjectBuilder()
        .add("started_at", start.toString())
        .add("remind_at", start.plus(length.multipliedBy(9).dividedBy(10)).toString())
        .add("ends_at", start.plus(length).toString())
        .build());
  }
}
