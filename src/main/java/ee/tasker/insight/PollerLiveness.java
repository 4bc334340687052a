package ee.tasker.insight;

import ee.tasker.orchestration.Poller;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.thread.StartSequence;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/**
 * Up while the fallback poller keeps running. A run that fails because the database is away counts
 * as running: a restart
 * would not fix it.
 */
@Liveness
@ApplicationScoped
public class PollerLiveness implements HealthCheck {
  @Inject
  private Poller poller;

  @Inject
  private LiveSettings live;

  @Inject
  private StartSequence start;

  @Override
  public HealthCheckResponse call() {
    if (live.pollInterval().isZero() || start.isUnderWay()) {
      return HealthCheckResponse.named("poller").up()
          .withData("interval_seconds", live.pollInterval().toSeconds()).build();
    }
    Duration silence = Duration.between(poller.lastSign(), Instant.now());
    return HealthCheckResponse.named("poller")
        .status(silence.compareTo(Patience.with(live.pollInterval())) <= 0)
        .withData("last_poll", poller.lastPoll().toString())
        .withData("silent_seconds", silence.toSeconds())
        .withData("interval_seconds", live.pollInterval().toSeconds())
        .build();
  }
}
