package ee.tasker.rest.work;

import ee.tasker.operation.Operations;
import ee.tasker.platform.Author;
import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.WriteLog;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;

/** Paused namespaces and templates, whose steps are not handed off. */
@Path("pauses")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class PausesResource {

  @Inject
  private Operations operations;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Context
  private HttpServletRequest request;

  @Requires(value = Permission.TEMPLATES_READ, in = Scope.ASKED)
  @GET
  public String list() {
    return Listing.whole("pauses", access.visible(operations.pauses())).toString();
  }

  @Requires(value = Permission.TEMPLATES_PAUSE, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public String pause(InputStream body) {
    Paused what = read(bodies.object(body, "PauseRequest", PausesResource::check));
    return operations
        .pause(what.namespace(), what.name(), what.version(), what.author().by(),
            what.author().reason())
        .toString();
  }

  @Requires(value = Permission.TEMPLATES_PAUSE, in = Scope.ASKED)
  @DELETE
  @OncePerKey
  public String resume(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("version") String version, @QueryParam("requested_by") String requestedBy,
      @QueryParam("reason") String reason) {
    JsonObjectBuilder given = Json.build().createObjectBuilder();
    Members.addGiven(given, "namespace", namespace);
    Members.addGiven(given, "name", name);
    Members.addGiven(given, "version", version);
    Members.addGiven(given, "requested_by", requestedBy);
    Members.addGiven(given, "reason", reason);
    Paused what = read(BodySchema.of("PauseRequest")
        .read(given.build(), PausesResource::check));
    return operations
        .resume(what.namespace(), what.name(), what.version(), what.author().by(),
            what.author().reason())
        .toString();
  }

  private record Paused(String namespace, String name, String version, Author author) {
  }

  private static void check(JsonObject asked, Violations violations) {
    if (!Members.isAbsent(asked, "version") && Members.isAbsent(asked, "name")) {
      violations.add("name", "is required with a version");
    }
  }

  private Paused read(JsonObject asked) {
    String namespace = asked.getString("namespace");
    String name = asked.getString("name", null);
    String version = asked.getString("version", null);
    access.require(namespace);
    WriteLog.isAbout(request, "pauses", namespace, name, version);
    return new Paused(namespace, name, version, Authors.of(asked));
  }
}
