package ee.tasker.rest.task;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.schedule.Schedules;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;

/**
 * Schedules over HTTP. What makes a schedule submit tasks needs {@code tasks:create} in its
 * namespace besides; its context is shown with
 * {@code tasks:context_read}.
 */
@Path("schedules")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class SchedulesResource {
  private static final Set<String> OUTCOMES = Set.of("started", "queued", "skipped", "missed",
      "failed");
  private static final Set<String> ORIGINS = Set.of("schedule", "trigger", "backfill");

  @Inject
  private Schedules schedules;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Inject
  private Locations locations;

  @Requires(value = Permission.SCHEDULES_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("paused") String paused, @QueryParam("failing") String failing,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Filters.ofPausable(namespace, name, paused, failing);
    access.limit(filter);
    JsonObject page = schedules.list(filter.build(), Parameters.number("limit", limit, 25, 1, 100),
        Parameters.optionalUuid("cursor", cursor));
    return Listing.each("schedules", page, visibility::schedule).toString();
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.ASKED)
  @POST
  @OncePerKey(shows = Visibility.Content.SCHEDULE)
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    ScheduleBody asked = ScheduleBody.read(
        bodies.object(body, "NewSchedule", ScheduleBody::check), access.caller().actor());
    String namespace = asked.schedule().getString("namespace");
    access.require(namespace);
    access.require(Permission.TASKS_CREATE, namespace);
    JsonObject created = schedules.create(asked.schedule(), asked.author());
    return locations.created("schedules/" + created.getString("schedule_uuid"),
        visibility.schedule(created));
  }

  /** The fire times that a schedule with this timing would have, before it is saved. */
  @Requires(value = Permission.SCHEDULES_READ, in = Scope.ASKED)
  @GET
  @Path("upcoming")
  public String upcoming(@QueryParam("cron") String cron,
      @QueryParam("every_seconds") String everySeconds, @QueryParam("zone") String zone,
      @QueryParam("starts_at") String startsAt, @QueryParam("ends_at") String endsAt,
      @QueryParam("count") String count) {
    JsonObjectBuilder asked = Json.build().createObjectBuilder();
    Members.addGiven(asked, "cron", cron);
    Members.addGiven(asked, "zone", zone);
    Members.addGiven(asked, "starts_at", startsAt);
    Members.addGiven(asked, "ends_at", endsAt);
    if (everySeconds != null) {
      asked.add(ScheduleBody.EVERY, Parameters.number(ScheduleBody.EVERY, everySeconds, 1, 1,
          Integer.MAX_VALUE));
    }
    return Json.build().createObjectBuilder()
        .add("fire_times", schedules.upcomingOf(ScheduleBody.timingOf(asked.build()),
            Parameters.number("count", count, 5, 1, 100)))
        .build().toString();
  }

  @Requires(value = Permission.SCHEDULES_READ, in = Scope.SCHEDULE)
  @GET
  @Path("{schedule_uuid}")
  public String describe(@PathParam("schedule_uuid") UUID uuid,
      @QueryParam("upcoming") String upcoming) {
    return visibility
        .schedule(schedules.describe(uuid, Parameters.number("upcoming", upcoming, 5, 1, 100)))
        .toString();
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @PUT
  @OncePerKey(shows = Visibility.Content.SCHEDULE)
  @Path("{schedule_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String update(@PathParam("schedule_uuid") UUID uuid, InputStream body) {
    ScheduleBody asked = ScheduleBody.read(
        bodies.object(body, "ScheduleChange", ScheduleBody::check), access.caller().actor());
    requireSubmission(uuid);
    return visibility
        .schedule(schedules.update(uuid, asked.version(), asked.schedule(), asked.author()))
        .toString();
  }

  private void requireSubmission(UUID uuid) {
    if (!visibility.seesSchedule(Permission.TASKS_CREATE, uuid)) {
      throw Problem.of(403, "not-permitted",
          "this needs the permission tasks:create in the namespace of the schedule");
    }
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @DELETE
  @OncePerKey(shows = Visibility.Content.SCHEDULE)
  @Path("{schedule_uuid}")
  public String delete(@PathParam("schedule_uuid") UUID uuid,
      @QueryParam("requested_by") String requestedBy, @QueryParam("reason") String reason) {
    return visibility.schedule(schedules.delete(uuid, Authors.of(requestedBy, reason))).toString();
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @POST
  @OncePerKey(shows = Visibility.Content.SCHEDULE)
  @Path("{schedule_uuid}/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  public String pause(@PathParam("schedule_uuid") UUID uuid, InputStream body) {
    return visibility
        .schedule(schedules.pause(uuid, Authors.of(bodies.object(body, "ScheduleAction"))))
        .toString();
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @POST
  @OncePerKey(shows = Visibility.Content.SCHEDULE)
  @Path("{schedule_uuid}/resume")
  @Consumes(MediaType.APPLICATION_JSON)
  public String resume(@PathParam("schedule_uuid") UUID uuid, InputStream body) {
    JsonObject resume = bodies.object(body, "ScheduleResume");
    requireSubmission(uuid);
    return visibility.schedule(
        schedules.resume(uuid, resume.getBoolean("catch_up"), Authors.of(resume))).toString();
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @POST
  @OncePerKey
  @Path("{schedule_uuid}/trigger")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response trigger(@PathParam("schedule_uuid") UUID uuid, InputStream body) {
    Author author = Authors.of(bodies.object(body, "ScheduleAction"));
    requireSubmission(uuid);
    JsonObject fire = schedules.trigger(uuid, author);
    return locations.created("tasks/" + fire.getString("task_uuid"), fire);
  }

  @Requires(value = Permission.SCHEDULES_READ, in = Scope.SCHEDULE)
  @GET
  @Path("{schedule_uuid}/fires")
  public String fires(@PathParam("schedule_uuid") UUID uuid,
      @QueryParam("outcome") String outcome, @QueryParam("origin") String origin,
      @QueryParam("backfill") String backfill, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.addWord(filter, "outcome", outcome, OUTCOMES);
    Filters.addWord(filter, "origin", origin, ORIGINS);
    Filters.addUuid(filter, "backfill", "backfill_uuid", backfill);
    schedules.describe(uuid, 1);
    return visibility.ofSchedule(uuid, "ScheduleFireList",
        schedules.fires(uuid, filter.build(), Parameters.number("limit", limit, 25, 1, 100),
            ScheduleBody.cursor(cursor)))
        .toString();
  }

  @Requires(value = Permission.SCHEDULES_READ, in = Scope.SCHEDULE)
  @GET
  @Path("{schedule_uuid}/backfills")
  public String backfills(@PathParam("schedule_uuid") UUID uuid) {
    schedules.describe(uuid, 1);
    return visibility
        .ofSchedule(uuid, "BackfillList", Listing.whole("backfills", schedules.backfills(uuid)))
        .toString();
  }

  /** 200 with what it would do for a dry run; 201 otherwise. */
  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @POST
  @OncePerKey
  @Path("{schedule_uuid}/backfills")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response backfill(@PathParam("schedule_uuid") UUID uuid, InputStream body) {
    JsonObject asked = bodies.object(body, "BackfillRequest");
    Instant from = ScheduleBody.time(asked, "from");
    Instant to = ScheduleBody.time(asked, "to");
    requireSubmission(uuid);
    if (asked.getBoolean("dry_run")) {
      return Response.ok(schedules.previewBackfill(uuid, from, to).toString()).build();
    }
    return locations.created("schedules/" + uuid + "/backfills",
        schedules.startBackfill(uuid, from, to, asked.getString("overlap"), Authors.of(asked)));
  }

  @Requires(value = Permission.SCHEDULES_WRITE, in = Scope.SCHEDULE)
  @DELETE
  @OncePerKey
  @Path("{schedule_uuid}/backfills/{backfill_uuid}")
  public String cancelBackfill(@PathParam("schedule_uuid") UUID uuid,
      @PathParam("backfill_uuid") UUID backfill,
      @QueryParam("requested_by") String requestedBy, @QueryParam("reason") String reason) {
    return schedules.cancelBackfill(uuid, backfill, Authors.of(requestedBy, reason)).toString();
  }
}
