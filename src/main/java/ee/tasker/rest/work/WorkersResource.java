package ee.tasker.rest.work;

import ee.tasker.document.Seals;
import ee.tasker.engine.reply.CheckpointsReply;
import ee.tasker.engine.reply.StepResultsReply;
import ee.tasker.engine.reply.WorkerBatchReply;
import ee.tasker.engine.reply.WorkerReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.platform.config.Settings;
import ee.tasker.remote.Poll;
import ee.tasker.remote.RemotePolls;
import ee.tasker.remote.RemoteWorkers;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Unlogged;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Caller;
import ee.tasker.security.Permission;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
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
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;

/**
 * Workers outside the servers: they register, claim steps, submit results and send heartbeats. A
 * worker belongs to the caller that
 * registered it, who alone acts for it; {@code docs/workers.md} has the protocol.
 */
@Path("workers")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class WorkersResource {
  @Inject
  private RemoteWorkers workers;

  @Inject
  private RemotePolls polls;

  @Inject
  private Seals seals;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Visibility visibility;

  @Inject
  private Settings settings;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public Response register(InputStream body) {
    WorkerReader.Registration registration = WorkerReader
        .registration(bodies.object(body, "NewWorker", WorkerReader::checkRegistration));
    if (registration.namespaces() == null) {
      access.require(Permission.STEPS_WORK, null);
    } else {
      registration.namespaces().forEach(access::require);
    }
    UUID uuid = registration.workerUuid();
    WorkerReply reply = workers.register(registration.document(), uuid, owner(),
        access.caller().actor());
    JsonObject document = reply.document();
    return locations.answer(reply.isNew() ? 201 : 200, "workers/" + uuid,
        Json.build().createObjectBuilder()
            .add("worker_uuid", uuid.toString())
            .add("heartbeat_seconds", document.get("heartbeat_seconds"))
            .add("lease_seconds", leaseSeconds())
            .add("steps", document.get("steps"))
            .add("missing_namespaces", document.get("missing_namespaces")).build());
  }

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return visibility.workers(workers.list()).toString();
  }

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("{worker_uuid}")
  public String describe(@PathParam("worker_uuid") UUID workerUuid) {
    return visibility.worker(workers.describe(workerUuid)).toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @DELETE
  @OncePerKey
  @Path("{worker_uuid}")
  public String drain(@PathParam("worker_uuid") UUID workerUuid) {
    // An operator may drain the workers of all callers.
    String owner = access.caller().grants().mayEverywhere(Permission.SYSTEM_SERVERS_MANAGE) ? null
        : owner();
    JsonObject document = workers
        .drain(workerUuid, owner, access.caller().actor()).document();
    JsonObjectBuilder answer = Json.build().createObjectBuilder();
    for (String name : List.of("worker_uuid", "state", "claimed")) {
      answer.add(name, document.get(name));
    }
    return answer.build().toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @POST
  @Unlogged
  @Path("{worker_uuid}/claims")
  @Consumes(MediaType.APPLICATION_JSON)
  public void claim(@PathParam("worker_uuid") UUID worker, InputStream body,
      @Suspended AsyncResponse answer) {
    workers.requireApi();
    Poll poll = WorkerReader.poll(bodies.object(body, "ClaimRequest"), worker, owner(),
        access.namespaces());
    long leaseSeconds = leaseSeconds();
    Recheck<Optional<Set<String>>> permission = access
        .recheck(caller -> Optional.of(caller.grants())
            .filter(grants -> grants.may(Permission.STEPS_WORK))
            .map(grants -> grants.namespaces(Permission.STEPS_WORK)));
    Caller caller = access.caller();
    polls.poll(poll, permission).whenComplete((steps, fault) -> {
      if (fault != null) {
        answer.resume(fault instanceof CompletionException && fault.getCause() != null
            ? fault.getCause() : fault);
      } else if (!answer.resume(
          Json.build().createObjectBuilder()
              .add("steps", ClaimedStepDocuments.of(steps, step -> opened(caller, step)))
              .add("lease_seconds", leaseSeconds).build()
              .toString())) {
        workers.giveBack(worker, poll.owner(), steps);
      }
    });
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @POST
  @Unlogged
  @Path("{worker_uuid}/results")
  @Consumes(MediaType.APPLICATION_JSON)
  public String submit(@PathParam("worker_uuid") UUID worker, InputStream body) {
    WorkerReader.Results results = WorkerReader.results(
        bodies.object(body, RequestBodies.BODY_TIMES), bodies.limit(), worker, owner(),
        access.namespaces());
    RemoteWorkers.Submission submission = workers.submit(worker, owner(), results.results(),
        Optional.ofNullable(results.next()));
    JsonArrayBuilder verdicts = Json.build().createArrayBuilder();
    List<JsonObject> all = submission.verdicts().getValuesAs(JsonObject.class);
    for (int i = 0; i < all.size(); i++) {
      JsonObject failed = submission.failed().get(i);
      // Its result is the worker's own, which need not be sent back.
      verdicts
          .add(
              failed == null ? all.get(i)
                  : Json.build().createObjectBuilder(all.get(i))
                      .add("error", Json.build().createObjectBuilder()
                          .add("type", failed.get("type")).add("message", failed.get("message")))
                      .build());
    }
    return Json.build().createObjectBuilder().add("verdicts", verdicts)
        .add("state", submission.state())
        .add("steps",
            ClaimedStepDocuments.of(submission.steps(), step -> opened(access.caller(), step)))
        .add("lease_seconds", leaseSeconds()).build().toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @POST
  @Unlogged
  @Path("{worker_uuid}/heartbeat")
  @Consumes(MediaType.APPLICATION_JSON)
  public String heartbeat(@PathParam("worker_uuid") UUID worker, InputStream body) {
    JsonObject beat = bodies.object(body, "WorkerHeartbeat");
    JsonArray steps = beat.get("steps") instanceof JsonArray given ? given
        : JsonValue.EMPTY_JSON_ARRAY;
    JsonObject document = workers.heartbeat(worker, owner(), steps, beat.getString("state"))
        .document();
    JsonObjectBuilder answer = Json.build().createObjectBuilder();
    for (String name : List.of("state", "heartbeat_seconds", "lost", "cancels", "unreported")) {
      answer.add(name, document.get(name));
    }
    return answer.add("lease_seconds", leaseSeconds()).build().toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @POST
  @Unlogged
  @Path("{worker_uuid}/checkpoints")
  @Consumes(MediaType.APPLICATION_JSON)
  public String saveCheckpoints(@PathParam("worker_uuid") UUID worker, InputStream body) {
    CheckpointsReply reply = workers.saveCheckpoints(worker, owner(),
        WorkerReader.checkpoints(bodies.object(body, RequestBodies.BODY_TIMES)));
    return Json.build().createObjectBuilder().add("verdicts", reply.verdicts())
        .add("cancels", reply.cancels())
        .add("lease_seconds", leaseSeconds()).build().toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @GET
  @Path("{worker_uuid}/steps/{step_uuid}/results")
  public String stepResults(@PathParam("worker_uuid") UUID worker,
      @PathParam("step_uuid") UUID step, @QueryParam("name") List<String> names) {
    StepResultsReply reply = workers.stepResults(worker, owner(), step,
        WorkerReader.stepNames(names));
    // The permission may have been taken away since the claim.
    access.require(reply.namespace());
    return Json.build().createObjectBuilder()
        .add("results", opened(reply.namespace(), reply.results())).build().toString();
  }

  @Requires(value = Permission.STEPS_WORK, in = Scope.ASKED)
  @GET
  @Path("{worker_uuid}/steps/{step_uuid}/batch-results")
  public String batchResults(@PathParam("worker_uuid") UUID worker,
      @PathParam("step_uuid") UUID step, @QueryParam("name") String name,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    WorkerBatchReply reply = workers.batchResults(worker, owner(), step,
        WorkerReader.stepName(name), Parameters.number("cursor", cursor, 0, 0, Integer.MAX_VALUE),
        Parameters.number("limit", limit, 100, 1, 1000));
    // The permission may have been taken away since the claim.
    access.require(reply.namespace());
    if (!reply.isBatch()) {
      throw Problem.invalid("name",
          "must be the name of a batch step that has made its batches and from which this step follows");
    }
    return Json.build().createObjectBuilder()
        .add("results", opened(reply.namespace(), reply.results()))
        .add("next", reply.next()).build().toString();
  }

  /**
   * What is sealed is open for workers that may open it. What cannot be opened here stays sealed:
   * the handler sees it, and another server may have the key.
   */
  private ClaimedStep opened(Caller caller, ClaimedStep step) {
    try {
      return mayOpen(caller, step.definition().namespace()) ? new StepSeals(seals).open(step)
          : step;
    } catch (Problem notOpened) {
      return step;
    }
  }

  private JsonValue opened(String namespace, JsonValue documents) {
    return mayOpen(access.caller(), namespace) ? seals.open(documents, namespace) : documents;
  }

  private static boolean mayOpen(Caller caller, String namespace) {
    return caller.grants().may(Permission.DOCUMENTS_OPEN, namespace);
  }

  private String owner() {
    return access.caller().principal();
  }

  private long leaseSeconds() {
    return settings.worker().lease().toSeconds();
  }
}
