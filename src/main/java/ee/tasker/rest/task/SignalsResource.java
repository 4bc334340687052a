package ee.tasker.rest.task;

import ee.tasker.operation.Signals;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;

/** Signals by correlation id. */
@Path("signals")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class SignalsResource {
  @Inject
  private Signals signals;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Requires(value = Permission.TASKS_SIGNAL, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Path("{name}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String send(@PathParam("name") String name, InputStream body) {
    SignalBody signal = SignalBody.read(name, bodies.object(body, "CorrelatedSignalRequest"));
    return Json.build().createObjectBuilder()
        .add("signals",
            signals.sendByCorrelation(signal.correlationId(), name, signal.payload(),
                signal.signalId(), access.namespaces().orElse(null), signal.limit()))
        .build().toString();
  }
}
