package ee.tasker.samples.retries;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonNumber;
import java.time.Clock;
import java.time.Duration;

/**
 * The called service answers "busy, retry in a second", once. The first attempt saves its time in a
 * checkpoint; the second
 * compares, and reports whether the engine used the requested delay and not the template's much
 * longer backoff.
 */
@ApplicationScoped
@Handles("retries.BusyOnce")
public class BusyOnce implements StepHandler {
  private static final Duration ASKED_FOR = Duration.ofSeconds(1);
  /** Far above any delay on a busy machine, far below the template's backoff. */
  private static final Duration CLEARLY_BACKOFF = Duration.ofSeconds(20);
  private final Clock clock;

  public BusyOnce() {
    this(Clock.systemUTC());
  }

  public BusyOnce(Clock clock) {
    this.clock = clock;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    if (!step.isRetry()) {
      step.checkpoint(Json.createValue(clock.millis()));
      return StepOutcome.retryableAfter(ASKED_FOR, "Busy",
          "the server asks to come back in " + ASKED_FOR);
    }
    long failedAt = step.checkpoint().map(JsonNumber.class::cast).orElseThrow().longValueExact();
    Duration waited = Duration.ofMillis(clock.millis() - failedAt);
    return StepOutcome.success(Json.createObjectBuilder()
        .add("waited_ms", waited.toMillis())
        .add("waited_as_asked", waited.compareTo(ASKED_FOR) >= 0)
        .add("waited_for_backoff", waited.compareTo(CLEARLY_BACKOFF) >= 0)
        .build());
  }
}
