package ee.tasker.insight;

import ee.tasker.message.Listener;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.thread.StartSequence;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Never down, because without the listening connection the poller still finds all work, only later.
 * Reports that the
 * connection is missing, since when and why.
 */
@Readiness
@ApplicationScoped
public class ListenerReadiness implements HealthCheck {
  @Inject
  private Listener listener;

  @Inject
  private Settings settings;

  @Inject
  private StartSequence start;

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder answer = HealthCheckResponse.named("listener").up()
        .withData("events", settings.events());
    if (!settings.events() || start.isUnderWay()) {
      return answer.withData("connected", false).build();
    }
    Optional<Listener.Absence> absence = listener.absence();
    answer.withData("connected", absence.isEmpty());
    absence.ifPresent(away -> answer
        .withData("away_seconds", away.length().toSeconds())
        .withData("problem", away.cause()));
    return answer.build();
  }
}
