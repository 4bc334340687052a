package ee.tasker.rest;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;

/** The application is deployed and answers. Whether it can do its work is for readiness to say. */
@org.eclipse.microprofile.health.Liveness
@ApplicationScoped
public class Liveness implements HealthCheck {

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.up("tasker");
    }
}
