package ee.tasker.rest.operation;

import ee.tasker.insight.Insight;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

/**
 * Analytics over HTTP. The figures come from counters, so their cost does not depend on the number
 * of finished tasks.
 */
@Path("analytics")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class AnalyticsResource {
  /** The retention of the per-minute counters. */
  private static final int MOST_HOURS = 35 * 24;
  private static final int MOST_ROWS = 100;
  private static final int MOST_MINUTES = 24 * 60;

  @Inject
  private Insight insight;

  @Inject
  private Access access;

  @Requires(value = Permission.SYSTEM_ANALYTICS_READ, in = Scope.EVERYWHERE)
  @MayBeStale
  @GET
  @Path("performance")
  public String performance(@QueryParam("hours") String hours) {
    return insight.performance(Parameters.number("hours", hours, 1, 1, MOST_HOURS)).toString();
  }

  @Requires(value = Permission.SYSTEM_ANALYTICS_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("health")
  public String health() {
    return insight.health().toString();
  }

  @Requires(value = Permission.SYSTEM_ANALYTICS_READ, in = Scope.ASKED)
  @MayBeStale
  @GET
  @Path("bottlenecks")
  public String bottlenecks(@QueryParam("hours") String hours, @QueryParam("limit") String limit,
      @QueryParam("min_executions") String minExecutions, @QueryParam("namespace") String namespace,
      @QueryParam("name") String name, @QueryParam("version") String version) {
    access.require(namespace);
    return insight.bottlenecks(
        Parameters.number("hours", hours, 24, 1, MOST_HOURS),
        Parameters.number("limit", limit, 10, 1, MOST_ROWS),
        Parameters.number("min_executions", minExecutions, 5, 1, Integer.MAX_VALUE),
        Filters.bounded("namespace", namespace), Filters.bounded("name", name),
        Filters.bounded("version", version)).toString();
  }

  @Requires(value = Permission.SYSTEM_ANALYTICS_READ, in = Scope.ASKED)
  @MayBeStale
  @GET
  @Path("timeline")
  public String timeline(@QueryParam("minutes") String minutes,
      @QueryParam("namespace") String namespace) {
    access.require(namespace);
    return insight.timeline(Parameters.number("minutes", minutes, 60, 1, MOST_MINUTES),
        Filters.bounded("namespace", namespace)).toString();
  }
}
