package ee.tasker.rest.task;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.request.IdempotentResponse;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.RequestKeys;
import ee.tasker.rest.http.RequestTrace;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Caller;
import ee.tasker.security.Permission;
import ee.tasker.task.SubmissionBatcher;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskRequestReader;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tasks over HTTP: create, find and cancel them, and read their steps. */
@Path("tasks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TasksResource {
  static final Set<String> STATES = TaskState.words();
  private static final int LONGEST_WAIT_SECONDS = 60;
  private static final String MOST_BYTES = "max_document_bytes";
  private static final List<String> TASK_DOCUMENTS = List.of("context", "output");
  private static final List<String> OF_ATTEMPTS = List.of("result", "error");
  private static final List<String> STEP_DOCUMENTS = List.of("result", "error", "inputs",
      "checkpoint");
  private static final int PART = 16_384;
  private static final int LONGEST_PART = 1_048_576;

  private static final String WHY = "why";
  /** What a list can have besides, each with what the caller needs to see it. */
  private static final Map<String, Permission> INCLUDES = Map.of(WHY, Permission.TASKS_READ,
      "failure", Permission.STEPS_READ, "attributes", Permission.TASKS_CONTEXT_READ);

  @Inject
  private SubmissionBatcher submissionBatcher;

  @Inject
  private TaskSubmissions submissions;

  @Inject
  private RequestKeys keys;

  @Inject
  private RequestTrace trace;

  @Inject
  private Tasks tasks;

  @Inject
  private TaskWaits waits;

  @Inject
  private RequestBodies bodies;

  @Inject
  private LiveSettings live;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  @Inject
  private Visibility visibility;

  @Context
  private UriInfo uri;

  @Requires(value = Permission.TASKS_CREATE, in = Scope.ASKED)
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public void create(InputStream body, @QueryParam("wait") String wait,
      @Suspended AsyncResponse answer) {
    int seconds = Parameters.number("wait", wait, 0, 0, LONGEST_WAIT_SECONDS);
    requireApi();
    boolean isKeyed = keys.isKeyed();
    if (!isKeyed) {
      // Before it costs more.
      submissionBatcher.requireRoom();
    }
    // A large one keeps its turn until its task is created.
    bodies.object(body, document -> {
      if (isKeyed) {
        createOnce(document, seconds, answer);
      } else {
        create(document, seconds, answer);
      }
    });
  }

  private void create(JsonObject document, int seconds, AsyncResponse answer) {
    Caller caller = access.caller();
    Recheck<Caller> permission = access.recheck(Optional::of);
    String tasks = locations.of("tasks/");
    CompletableFuture<SubmittedTask> creation = submissionBatcher.submit(request(document));
    waits.answerWhenCreated(creation, answer,
        task -> answerCreated(task, document, tasks, caller, permission, seconds, answer));
  }

  /**
   * @throws Problem 409 duplicate-task when an identical task exists and the request does not
   * accept it
   */
  private void answerCreated(SubmittedTask task, JsonObject document, String tasks, Caller caller,
      Recheck<Caller> permission, int seconds, AsyncResponse answer) {
    String location = location(task, document, tasks);
    int status = task.isDuplicate() ? 200 : 201;
    if (seconds > 0) {
      TaskWaits.Reply whole = new TaskWaits.Reply(caller, permission,
          (now, described) -> Response.status(status)
              .header(Locations.HEADER, location)
              .entity(terminalOrBlocked(now, described, task.isDuplicate()).toString()).build());
      if (task.isDuplicate()) {
        waits.answerWhenEnded(task.taskUuid(), seconds, answer, whole);
      } else {
        waits.answerNewWhenEnded(task.taskUuid(), seconds, answer, whole);
      }
    } else {
      answer.resume(Response.status(status).header(Locations.HEADER, location)
          .entity(brief(task).toString()).build());
    }
  }

  /**
   * In one transaction with the key. The short response is stored: with {@code wait}, the task's
   * current state is returned.
   */
  private void createOnce(JsonObject document, int seconds, AsyncResponse answer) {
    Caller caller = access.caller();
    TaskRequest request = request(document);
    IdempotentResponse kept = keys.answerOnce(document.toString(), () -> {
      SubmittedTask task = submissions.submit(request);
      return IdempotentResponse.done(task.isDuplicate() ? 200 : 201,
          Optional.of(location(task, document, locations.of("tasks/"))),
          brief(task).toString());
    });
    Response.ResponseBuilder response = Response.status(kept.status()).header(Locations.HEADER,
        kept.location().orElseThrow());
    if (kept.isReplay()) {
      response.header(RequestKeys.REPLAYED, "true");
    }
    if (seconds > 0) {
      waits.answerWhenEnded(Json.uuid(Json.parseObject(kept.body()), "task_uuid"), seconds, answer,
          new TaskWaits.Reply(caller, access.recheck(Optional::of),
              (now, described) -> response
                  .entity(terminalOrBlocked(now, described, kept.status() == 200).toString())
                  .build()));
    } else {
      answer.resume(response.entity(kept.body()).build());
    }
  }

  private TaskRequest request(JsonObject document) {
    return trace.onto(access.submitted(TaskRequestReader.read(document)), document);
  }

  /**
   * @throws Problem 409 duplicate-task when an identical task exists and the request does not
   * accept it
   */
  private static String location(SubmittedTask task, JsonObject document, String tasks) {
    String location = tasks + task.taskUuid();
    if (task.isDuplicate() && !TaskRequestReader.wantsExisting(document)) {
      throw new Problem(409, "duplicate-task",
          "the same request is already task " + task.taskUuid(), List.of(), Map.of("task_uuid",
              task.taskUuid().toString(), "state", task.state().word(), "location", location));
    }
    return location;
  }

  /**
   * A caller who may submit but not read sees the task's state only, and so does one who has lost
   * its rights while it waited: the
   * task is created, and an answer that hides that would make the client create another.
   */
  private static JsonObject terminalOrBlocked(Recheck.Outcome<Caller> permitted,
      JsonObject described, boolean isDuplicate) {
    Optional<Caller> caller = permitted instanceof Recheck.Outcome.Permitted<Caller> known
        ? Optional.of(known.what()) : Optional.empty();
    return caller
        .filter(now -> now.grants().may(Permission.TASKS_READ, described.getString("namespace")))
        .map(now -> Visibility.task(now, described))
        .orElseGet(() -> brief(described.getString("task_uuid"), described.getString("state"),
            described.getString("correlation_id"), described.getString("version"), isDuplicate,
            Json.text(described, "replaces_task_uuid")));
  }

  private static JsonObject brief(SubmittedTask task) {
    return brief(task.taskUuid().toString(), task.state().word(), task.correlationId().toString(),
        task.version(), task.isDuplicate(), task.replaces().map(UUID::toString));
  }

  private static JsonObject brief(String taskUuid, String state, String correlationId,
      String version, boolean isDuplicate, Optional<String> replaces) {
    JsonObjectBuilder brief = Json.build().createObjectBuilder()
        .add("task_uuid", taskUuid)
        .add("state", state)
        .add("correlation_id", correlationId)
        .add("version", version)
        .add("duplicate", isDuplicate);
    // For a duplicate it would describe another request.
    replaces.filter(uuid -> !isDuplicate).ifPresent(uuid -> brief.add("replaces_task_uuid", uuid));
    return brief.build();
  }

  @Requires(value = Permission.TASKS_LIST, in = Scope.ASKED)
  @MayBeStale
  @SelectsTasks
  @GET
  public String list(@QueryParam("limit") String limit, @QueryParam("cursor") String cursor,
      @QueryParam("include") String include, @QueryParam(TaskFilter.ORDER) String order) {
    JsonObject filter = TaskFilter.read(uri, access, order);
    Set<String> included = include == null ? Set.of() : Set.of(include.split(",", -1));
    if (!INCLUDES.keySet().containsAll(included)) {
      throw Problem.invalid("include",
          "must be of why, failure and attributes, with commas between them");
    }
    JsonObject page = TaskFilter
        .checked(tasks.list(filter, Parameters.number("limit", limit, 25, 1, 100),
            Parameters.optionalUuid("cursor", cursor)));
    for (String member : included) {
      page = with(member, page);
    }
    return page.toString();
  }

  /**
   * With one more member for the tasks where the caller has its permission and may not only list
   * them; null where there is none.
   */
  private JsonObject with(String member, JsonObject page) {
    List<JsonObject> listed = page.getJsonArray("tasks").getValuesAs(JsonObject.class);
    var grants = access.caller().grants();
    Predicate<JsonObject> isReadable = task -> grants.may(INCLUDES.get(member),
        task.getString("namespace"));
    List<UUID> readable = listed.stream().filter(isReadable)
        .map(task -> Json.uuid(task, "task_uuid")).toList();
    boolean isWhy = WHY.equals(member);
    JsonObject found = isWhy ? tasks.explain(readable) : tasks.captions(readable);
    JsonArrayBuilder extended = Json.build().createArrayBuilder();
    listed.forEach(task -> {
      JsonValue value = found.getOrDefault(task.getString("task_uuid"), JsonValue.NULL);
      extended.add(isReadable.test(task)
          ? Json.build().createObjectBuilder(task)
              .add(member,
                  isWhy || value == JsonValue.NULL ? value : value.asJsonObject().get(member))
              .build()
          : task);
    });
    return Json.build().createObjectBuilder(page).add("tasks", extended).build();
  }

  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}")
  public void describe(@PathParam("task_uuid") UUID task, @QueryParam("wait") String wait,
      @QueryParam(MOST_BYTES) String mostBytes, @Suspended AsyncResponse answer) {
    Caller caller = access.caller();
    waits.answerWhenEnded(task, mostBytes(mostBytes),
        Parameters.number("wait", wait, 0, 0, LONGEST_WAIT_SECONDS), answer,
        new TaskWaits.Reply(caller,
            access.recheck(
                now -> Optional.of(now).filter(known -> known.grants().may(Permission.TASKS_READ))),
            (now, described) -> Response.ok(shown(now, task, described).toString()).build()));
  }

  /**
   * What a new request would be answered, if the caller has lost the right to read the task while
   * it waited.
   *
   * @throws Problem 401 not-authenticated, 403 not-permitted, 404 task-not-found
   */
  private static JsonObject shown(Recheck.Outcome<Caller> permitted, UUID task,
      JsonObject described) {
    if (permitted instanceof Recheck.Outcome.Withdrawn<Caller> withdrawn) {
      throw withdrawn.why();
    }
    Caller now = ((Recheck.Outcome.Permitted<Caller>) permitted).what();
    if (!now.grants().may(Permission.TASKS_READ, described.getString("namespace"))) {
      throw Tasks.notFound(task);
    }
    return Visibility.task(now, described);
  }

  /** A part of the context or output, as text. */
  @Requires(value = Permission.TASKS_CONTEXT_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/documents/{document}")
  public String read(@PathParam("task_uuid") UUID task,
      @PathParam("document") String document, @QueryParam("pointer") String pointer,
      @QueryParam("offset") String offset, @QueryParam("limit") String limit) {
    requireKnown(document, TASK_DOCUMENTS);
    if ("output".equals(document)) {
      access.requireForTask(Permission.STEPS_READ, task);
    }
    return tasks.read(task, null, document, null, pointer, offset(offset), partLimit(limit))
        .toString();
  }

  /**
   * A part of the result or error of an attempt, or of the inputs or checkpoint of the step, as
   * text.
   */
  @Requires(value = Permission.STEPS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/workflow_steps/{step_uuid}/documents/{document}")
  public String readOfStep(@PathParam("task_uuid") UUID task,
      @PathParam("step_uuid") UUID step, @PathParam("document") String document,
      @QueryParam("attempt") String attempt, @QueryParam("pointer") String pointer,
      @QueryParam("offset") String offset, @QueryParam("limit") String limit) {
    requireKnown(document, STEP_DOCUMENTS);
    boolean isOfAttempt = OF_ATTEMPTS.contains(document);
    if (attempt != null && !isOfAttempt) {
      throw Problem.invalid("attempt", "is for result and error only");
    }
    if ("inputs".equals(document)) {
      access.requireForTask(Permission.TASKS_CONTEXT_READ, task);
    }
    return tasks
        .read(task, step, document,
            attempt == null ? null : Parameters.number("attempt", attempt, 1, 1, Integer.MAX_VALUE),
            pointer, offset(offset), partLimit(limit))
        .toString();
  }

  private static void requireKnown(String document, List<String> known) {
    if (!known.contains(document)) {
      throw Problem.of(404, "document-not-found",
          "there is no document of this name; there are " + String.join(", ", known));
    }
  }

  private static int offset(String offset) {
    return Parameters.number("offset", offset, 0, 0, Integer.MAX_VALUE);
  }

  private static int partLimit(String limit) {
    return Parameters.number("limit", limit, PART, 1, LONGEST_PART);
  }

  /** Null when absent: documents of every length. */
  private static Integer mostBytes(String mostBytes) {
    return mostBytes == null ? null
        : Parameters.number(MOST_BYTES, mostBytes, 0, 0, Integer.MAX_VALUE);
  }

  @Requires(value = Permission.TASKS_CANCEL, in = Scope.TASK)
  @DELETE
  @OncePerKey(shows = Visibility.Content.TASK)
  @Path("{task_uuid}")
  public String cancel(@PathParam("task_uuid") UUID uuid, @QueryParam("reason") String reason,
      @QueryParam("requested_by") String requestedBy, @QueryParam("policy") String policy,
      @QueryParam("grace_seconds") String graceSeconds, @QueryParam("children") String children,
      @QueryParam("compensate") String compensate) {
    Optional<Duration> grace = graceSeconds == null ? Optional.empty()
        : Optional
            .of(Duration.ofSeconds(Parameters.number("grace_seconds", graceSeconds, 0, 0, 86_400)));
    tasks.cancel(uuid,
        new Tasks.CancelRequest(text("requested_by", requestedBy, access.caller().actor(), 128),
            text("reason", reason, "no reason given", 1_000), policy(policy), grace,
            children(children), compensates(compensate)));
    return tasks.describe(uuid).map(visibility::task).orElseThrow(() -> Tasks.notFound(uuid))
        .toString();
  }

  private static Tasks.CancelPolicy policy(String policy) {
    if (policy == null) {
      return Tasks.CancelPolicy.CANCEL_RUNNING;
    }
    try {
      return Tasks.CancelPolicy.valueOf(policy.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("policy", "must be allow_finish or cancel_running");
    }
  }

  private static boolean compensates(String compensate) {
    if (compensate == null || "false".equals(compensate)) {
      return false;
    }
    if ("true".equals(compensate)) {
      return true;
    }
    throw Problem.invalid("compensate", "must be true or false");
  }

  private static Tasks.Children children(String children) {
    if (children == null) {
      return Tasks.Children.LEAVE;
    }
    return switch (children) {
      case "cancel" -> Tasks.Children.CANCEL;
      case "leave" -> Tasks.Children.LEAVE;
      default -> throw Problem.invalid("children", "must be cancel or leave");
    };
  }

  private static String text(String name, String value, String fallback, int longest) {
    if (value != null && value.length() > longest) {
      throw Problem.invalid(name, "must have at most " + longest + " characters");
    }
    return value == null || value.isBlank() ? fallback : value;
  }

  @Requires(value = Permission.STEPS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/workflow_steps")
  public String steps(@PathParam("task_uuid") UUID uuid, @QueryParam("batch") String batch,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor,
      @QueryParam("state") String state, @QueryParam("states") String states,
      @QueryParam(MOST_BYTES) String mostBytes) {
    Integer most = mostBytes(mostBytes);
    UUID batchStep = Parameters.optionalUuid("batch", batch);
    if (states != null && !Set.of("true", "false").contains(states)) {
      throw Problem.invalid("states", "must be true or false");
    }
    if (batchStep != null) {
      JsonObject page = tasks.batchWorkers(uuid, batchStep,
          Parameters.number("cursor", cursor, 0, 0, Integer.MAX_VALUE),
          Parameters.number("limit", limit, 25, 1, 100), state, "true".equals(states), most);
      if (page.containsKey("known_states")) {
        throw Problem.invalid("state",
            "must be one of "
                + page.getJsonArray("known_states").getValuesAs(JsonString.class).stream()
                    .map(JsonString::getString).collect(Collectors.joining(", ")));
      }
      if (page.isEmpty()) {
        tasks.describe(uuid).orElseThrow(() -> Tasks.notFound(uuid));
        throw Problem.invalid("batch", "is not a batch step of the task that has made its batches");
      }
      return Json.build().createObjectBuilder(page)
          .add("steps", visibility.steps(uuid, page.getJsonArray("steps"))).build().toString();
    }
    Stream.of("limit", "cursor", "state", "states").filter(uri.getQueryParameters()::containsKey)
        .findFirst().ifPresent(name -> {
          throw Problem.invalid(name, "is for the workers of a batch only");
        });
    var steps = tasks.steps(uuid, most);
    if (steps.isEmpty()) {
      throw Tasks.notFound(uuid);
    }
    return Listing.whole("steps", visibility.steps(uuid, steps)).toString();
  }

  @Requires(value = Permission.STEPS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/workflow_steps/{step_uuid}")
  public String step(@PathParam("task_uuid") UUID task, @PathParam("step_uuid") UUID step,
      @QueryParam(MOST_BYTES) String mostBytes) {
    return visibility.step(task, requireStep(task, step, mostBytes(mostBytes))).toString();
  }

  @Requires(value = Permission.STEPS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/workflow_steps/{step_uuid}/audit")
  public String audit(@PathParam("task_uuid") UUID task, @PathParam("step_uuid") UUID step,
      @QueryParam(MOST_BYTES) String mostBytes) {
    Integer most = mostBytes(mostBytes);
    requireStep(task, step, 0);
    return Listing.whole("results", tasks.audit(task, step, most)).toString();
  }

  private JsonObject requireStep(UUID task, UUID step, Integer mostBytes) {
    return tasks.step(task, step, mostBytes).orElseThrow(() -> Tasks.stepNotFound(task, step));
  }

  private void requireApi() {
    if (!live.has(Role.API)) {
      throw Problem.of(503, "role-off", "this server does not accept tasks");
    }
  }
}
