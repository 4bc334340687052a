package ee.tasker.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Everything under {@code /v1}; what is beside it, pages and health checks, is the server's. */
@ApplicationPath("/v1")
public class RestApplication extends Application {
}
