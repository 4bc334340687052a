package ee.tasker.rest.work;

import ee.tasker.insight.Insight;
import ee.tasker.management.ServerChange;
import ee.tasker.management.ServerManagement;
import ee.tasker.management.ServerView;
import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** All servers of the installation over HTTP, and the details of this server. */
@Path("servers")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class ServersResource {
  @Inject
  private Insight insight;

  @Inject
  private ServerManagement management;

  @Inject
  private ServerIdentity server;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return Listing.each("servers", insight.servers(), server -> Json.build()
        .createObjectBuilder(server).add("allowed_actions", allowed(server)).build()).toString();
  }

  /** What this server would do for the caller: only it can be changed here. */
  private JsonArrayBuilder allowed(JsonObject document) {
    JsonArrayBuilder actions = Json.build().createArrayBuilder();
    return isThisServer(Json.uuid(document, "server_uuid"))
        && access.caller().grants().mayEverywhere(Permission.SYSTEM_SERVERS_MANAGE)
            ? actions.add("update") : actions;
  }

  private boolean isThisServer(UUID wanted) {
    return wanted.equals(server.uuid());
  }

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("{server_uuid}")
  public String describe(@PathParam("server_uuid") UUID wanted) {
    requireThisServer(wanted);
    return toJson(management.view());
  }

  @Requires(value = Permission.SYSTEM_SERVERS_MANAGE, in = Scope.EVERYWHERE)
  @PATCH
  @OncePerKey
  @Path("{server_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String change(@PathParam("server_uuid") UUID wanted, InputStream body) {
    requireThisServer(wanted);
    JsonObject asked = bodies.object(body, "ServerChange");
    Optional<Set<Role>> paused = Optional.ofNullable(Members.texts(asked, "paused_roles"))
        .map(words -> Arrays.stream(Role.values()).filter(role -> words.contains(role.toString()))
            .collect(Collectors.toSet()));
    Optional<Integer> capacity = Optional.ofNullable(Members.integer(asked, "worker_capacity"));
    Optional<Duration> poll = Optional.ofNullable(Members.integer(asked, "poll_interval_seconds"))
        .map(Duration::ofSeconds);
    Optional<Boolean> draining = Members.isAbsent(asked, "draining") ? Optional.empty()
        : Optional.of(asked.getBoolean("draining"));
    Author author = Authors.of(asked);
    try {
      management.change(new ServerChange(paused, capacity, poll, draining, author.by(),
          author.reason()));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("paused_roles", e.getMessage());
    }
    return toJson(management.view());
  }

  /**
   * This server cannot forward a request to another one: servers do not know each other's
   * addresses.
   */
  private void requireThisServer(UUID wanted) {
    if (!isThisServer(wanted)) {
      throw Problem.of(409, "another-server",
          "this is server " + server.uuid() + " (" + server.name() + "), it cannot show or change "
              + wanted
              + ": ask that one");
    }
  }

  private static String toJson(ServerView view) {
    JsonArrayBuilder leases = Json.build().createArrayBuilder();
    view.leases().forEach(lease -> leases.add(Json.build().createObjectBuilder()
        .add("task_uuid", lease.taskUuid().toString()).add("step_uuid", lease.stepUuid().toString())
        .add("attempt", lease.attempt()).add("held_seconds", lease.held().toSeconds())));
    JsonObjectBuilder depths = Json.build().createObjectBuilder();
    view.queueDepths().keySet().stream().sorted()
        .forEach(queue -> depths.add(queue, view.queueDepths().get(queue)));
    JsonObjectBuilder threads = Json.build().createObjectBuilder();
    view.threads().keySet().stream().sorted()
        .forEach(pool -> threads.add(pool, view.threads().get(pool)));
    return Json.build().createObjectBuilder()
        .add("server_uuid", view.uuid().toString())
        .add("name", view.name())
        .add("state", view.state())
        .add("problems", Json.build().createArrayBuilder(view.problems()))
        .add("roles", Json.build().createArrayBuilder(view.roles()))
        .add("paused_roles", Json.build().createArrayBuilder(view.pausedRoles()))
        .add("worker_capacity", view.capacity())
        .add("poll_interval_seconds", view.pollInterval().toSeconds())
        .add("running_steps", view.runningSteps())
        .add("available_capacity", view.availableCapacity())
        .add("stuck_threads", view.stuckThreads())
        .add("threads", threads)
        .add("leases", leases)
        .add("queue_depths", depths)
        .build().toString();
  }
}
