package ee.tasker.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Everything under the context root; pages and health checks are the server's. */
@ApplicationPath("/")
public class RestApplication extends Application {
}
