package ee.tasker.insight;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.worker.Heartbeat;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/** Up while the heartbeat's thread keeps running, whether or not the database answers it. */
@Liveness
@ApplicationScoped
public class HeartbeatLiveness implements HealthCheck {
  @Inject
  private Heartbeat heartbeat;

  @Inject
  private Settings settings;

  @Inject
  private StartSequence start;

  @Override
  public HealthCheckResponse call() {
    if (start.isUnderWay()) {
      // The heartbeat starts once the database answers; a restart would not help before that.
      return HealthCheckResponse.named("heartbeat").up()
          .withData("problem", "the server is not started yet").build();
    }
    Duration silence = Duration.between(heartbeat.lastSign(), Instant.now());
    HealthCheckResponseBuilder answer = HealthCheckResponse.named("heartbeat")
        .status(silence.compareTo(Patience.with(settings.worker().heartbeat())) <= 0)
        .withData("silent_seconds", silence.toSeconds())
        .withData("interval_seconds", settings.worker().heartbeat().toSeconds());
    Instant heard = heartbeat.lastBeat();
    return (heard == null ? answer : answer.withData("last_beat", heard.toString())).build();
  }
}
