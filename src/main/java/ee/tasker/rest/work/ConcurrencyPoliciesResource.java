package ee.tasker.rest.work;

import ee.tasker.operation.ConcurrencyPolicies;
import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/** Concurrency policies over HTTP: limits, holders and waiters. */
@Path("concurrency-policies")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class ConcurrencyPoliciesResource {
  @Inject
  private ConcurrencyPolicies policies;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Requires(value = Permission.POLICIES_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("entries") String entries) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.add(filter, "namespace", namespace);
    Filters.add(filter, "name", name);
    return Listing
        .whole("policies",
            visibility.policies(access.visible(
                policies.list(filter.build(), Parameters.number("entries", entries, 10, 0, 100)))))
        .toString();
  }

  /** The member is required even when it is null, which restores the template's limit. */
  @Requires(value = Permission.POLICIES_UPDATE, in = Scope.POLICY)
  @PUT
  @OncePerKey
  @Path("{policy_uuid}/limit")
  @Consumes(MediaType.APPLICATION_JSON)
  public String setLimit(@PathParam("policy_uuid") UUID policy, InputStream body) {
    JsonObject asked = bodies.object(body, "ConcurrencyLimit");
    Author author = Authors.of(asked);
    return policies
        .setLimit(policy, Members.integer(asked, "limit"), author.by(), author.reason()).toString();
  }
}
