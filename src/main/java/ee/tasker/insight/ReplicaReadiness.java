package ee.tasker.insight;

import ee.tasker.platform.sql.Replica;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Never down: without the replica the primary answers everything. Tells what became of the latest
 * read that could be stale.
 */
@Readiness
@ApplicationScoped
public class ReplicaReadiness implements HealthCheck {
  @Inject
  private Replica replica;

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder answer = HealthCheckResponse.named("replica").up()
        .withData("configured", replica.isConfigured());
    if (replica.isConfigured()) {
      Replica.State state = replica.state();
      answer.withData("usable", state.isUsable());
      state.staleness()
          .ifPresent(staleness -> answer.withData("staleness_ms", staleness.toMillis()));
      state.problem().ifPresent(problem -> answer.withData("problem", problem));
    }
    return answer.build();
  }
}
