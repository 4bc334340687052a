package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.RequestKeys;
import ee.tasker.rest.http.RequestTrace;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import ee.tasker.task.SubmissionBatcher;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskRequestReader;
import ee.tasker.task.TransactionalSubmissions;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Many tasks in one request, each with its own outcome. */
@Path("tasks:batch")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskBatchesResource {
  private static final int MOST = 1_000;

  @Inject
  private SubmissionBatcher submissionBatcher;

  @Inject
  private TransactionalSubmissions submissions;

  @Inject
  private RequestKeys keys;

  @Inject
  private RequestTrace trace;

  @Inject
  private RequestBodies bodies;

  @Inject
  private LiveSettings live;

  @Inject
  private Access access;

  @Requires(value = Permission.TASKS_CREATE, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    if (!live.has(Role.API)) {
      throw Problem.of(503, "role-off", "this server does not accept tasks");
    }
    JsonArray documents = bodies.array(body, RequestBodies.BODY_TIMES);
    if (documents.isEmpty() || documents.size() > MOST) {
      throw Problem.of(400, "invalid-request",
          "the body must be an array of 1 to " + MOST + " requests");
    }
    return Response.status(207).entity(
        Json.build().createObjectBuilder().add("verdicts", verdicts(documents)).build().toString())
        .build();
  }

  private JsonArray verdicts(JsonArray documents) {
    List<Object> read = new ArrayList<>(documents.size());
    List<TaskRequest> requests = new ArrayList<>(documents.size());
    for (JsonValue document : documents) {
      try {
        if (!(document instanceof JsonObject object)) {
          throw Problem.of(400, "invalid-request", "every request must be an object");
        }
        TaskRequest request = trace.onto(access.submitted(TaskRequestReader.read(object)), object);
        requests.add(request);
        read.add(request);
      } catch (Problem problem) {
        read.add(problem);
      }
    }
    // With a key, the tasks and the response about them are one transaction.
    var answers = (keys.isKeyed() ? submissions.submitEach(requests)
        : submissionBatcher.submitEach(requests)).iterator();
    JsonArrayBuilder verdicts = Json.build().createArrayBuilder();
    for (int i = 0; i < read.size(); i++) {
      verdicts.add(read.get(i) instanceof Problem problem
          ? refused(problem)
          : verdict(answers.next(), TaskRequestReader.wantsExisting(documents.getJsonObject(i))));
    }
    return verdicts.build();
  }

  private static JsonObjectBuilder verdict(CompletableFuture<SubmittedTask> answer,
      boolean wantsExisting) {
    try {
      SubmittedTask task = answer.join();
      JsonObjectBuilder verdict = Json.build().createObjectBuilder();
      if (task.isDuplicate() && !wantsExisting) {
        verdict.add("code", "duplicate-task").add("detail",
            "the same request is already task " + task.taskUuid());
      }
      task.replaces().ifPresent(uuid -> verdict.add("replaces_task_uuid", uuid.toString()));
      return verdict
          .add("status", !task.isDuplicate() ? 201 : wantsExisting ? 200 : 409)
          .add("task_uuid", task.taskUuid().toString())
          .add("state", task.state().word())
          .add("correlation_id", task.correlationId().toString())
          .add("version", task.version());
    } catch (CompletionException e) {
      if (e.getCause() instanceof Problem problem) {
        return refused(problem);
      }
      throw e;
    }
  }

  private static JsonObjectBuilder refused(Problem problem) {
    JsonArrayBuilder violations = Json.build().createArrayBuilder();
    problem.violations().forEach(violation -> violations.add(
        Json.build().createObjectBuilder().add("field", violation.field()).add("message",
            violation.message())));
    return Json.build().createObjectBuilder()
        .add("status", problem.status()).add("code", problem.code())
        .add("detail", problem.getMessage()).add("violations", violations);
  }
}
