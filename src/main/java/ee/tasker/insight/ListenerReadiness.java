package ee.tasker.insight;

import ee.tasker.message.Listener;
import ee.tasker.platform.Settings;
import ee.tasker.platform.StartSequence;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Never down: without the listening connection work is found later, by the poller, and that is still found. */
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
    return HealthCheckResponse.named("listener").up()
        .withData("events", settings.events())
        .withData("connected", settings.events() && !start.isUnderWay() && listener.isHealthy())
        .build();
  }
}
