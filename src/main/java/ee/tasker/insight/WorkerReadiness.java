package ee.tasker.insight;

import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.worker.Worker;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.stream.Collectors;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * The roles and load of this server. A busy server is up, and so is one with stuck threads, since
 * it still serves requests.
 * A draining server is down.
 */
@Readiness
@ApplicationScoped
public class WorkerReadiness implements HealthCheck {
  @Inject
  private Worker worker;

  @Inject
  private ServerIdentity server;

  @Inject
  private LiveSettings live;

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("worker")
        .status(!worker.isDraining())
        .withData("server", server.uuid().toString())
        .withData("name", server.name())
        .withData("roles",
            live.roles().stream().map(Role::toString).sorted().collect(Collectors.joining(",")))
        .withData("capacity", live.has(Role.WORKER) ? live.capacity() : 0)
        .withData("available_capacity", live.has(Role.WORKER) ? worker.availableCapacity() : 0)
        .withData("running", worker.runningSteps())
        .withData("stuck_threads", worker.stuckThreads())
        .build();
  }
}
