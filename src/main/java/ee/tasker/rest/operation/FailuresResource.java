package ee.tasker.rest.operation;

import ee.tasker.insight.Insight;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

/**
 * What failed, in groups of template, step and error, in the namespaces where the caller may read
 * steps and list tasks.
 */
@Path("failures")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class FailuresResource {
  private static final int MOST_HOURS = 7 * 24;

  @Inject
  private Insight insight;

  @Inject
  private Access access;

  @Requires(value = Permission.STEPS_READ, in = Scope.ASKED)
  @MayBeStale
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("version") String version, @QueryParam("step") String step,
      @QueryParam("hours") String hours, @QueryParam("limit") String limit) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.add(filter, "namespace", namespace);
    Filters.add(filter, "name", name);
    Filters.add(filter, "version", version);
    Filters.add(filter, "step", step);
    access.limitToBoth(filter, Permission.TASKS_LIST);
    return insight.failures(filter.build(), Parameters.number("hours", hours, 24, 1, MOST_HOURS),
        Parameters.number("limit", limit, 50, 1, 100)).toString();
  }
}
