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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.util.HashSet;
import java.util.Set;

/**
 * What failed, in groups of template, step and error, in the namespaces where the caller may read
 * steps and list tasks.
 */
@Path("failures")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class FailuresResource {
  static final Set<String> FILTERS = Set.of("namespace", "name", "version", "step");
  private static final int MOST_HOURS = 7 * 24;

  @Inject
  private Insight insight;

  @Inject
  private Access access;

  @Context
  private UriInfo uri;

  @Requires(value = Permission.STEPS_READ, in = Scope.ASKED)
  @MayBeStale
  @GET
  public String list(@QueryParam("hours") String hours, @QueryParam("limit") String limit) {
    Set<String> known = new HashSet<>(FILTERS);
    known.addAll(Set.of("hours", "limit"));
    Parameters.checkKnown(uri, known);
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    for (String key : FILTERS) {
      Filters.add(filter, key, uri.getQueryParameters().getFirst(key));
    }
    access.limitToBoth(filter, Permission.TASKS_LIST);
    return insight.failures(filter.build(), Parameters.number("hours", hours, 24, 1, MOST_HOURS),
        Parameters.number("limit", limit, 50, 1, 100)).toString();
  }
}
