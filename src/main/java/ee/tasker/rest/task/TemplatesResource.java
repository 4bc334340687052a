package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import ee.tasker.template.Registration;
import ee.tasker.template.TemplateJson;
import ee.tasker.template.TemplateProblem;
import ee.tasker.template.TemplateReading;
import ee.tasker.template.Templates;
import ee.tasker.template.model.TemplateKey;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Templates over HTTP: register, validate, find. */
@Path("templates")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TemplatesResource {
  private static final int MOST_IN_DETAIL = 10;

  @Inject
  private Templates templates;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  @Requires(value = Permission.TEMPLATES_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace) {
    return Listing.whole("templates", access.visible(
        templates.list(Filters.bounded("namespace", namespace)))).toString();
  }

  @Requires(value = Permission.TEMPLATES_READ, in = Scope.NAMESPACE)
  @GET
  @Path("{namespace}/{name}/{version}")
  public String describe(@PathParam("namespace") String namespace, @PathParam("name") String name,
      @PathParam("version") String version) {
    return templates.describe(namespace, name, version)
        .orElseThrow(() -> Problem.of(404, "template-not-found",
            "there is no template " + namespace + "/" + name + ":" + version))
        .toString();
  }

  /**
   * 201 for a new template, 200 when the same content was registered already, 409 for different
   * content.
   */
  @Requires(value = Permission.TEMPLATES_REGISTER, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes({"application/yaml", "application/x-yaml", "text/yaml", MediaType.TEXT_PLAIN,
    MediaType.APPLICATION_JSON})
  public Response register(InputStream body) {
    String text = bodies.text(body);
    if (templates.validate(text) instanceof TemplateReading.Read read) {
      access.require(read.template().key().namespace());
      // Its tasks will be able to submit there, whichever caller submits them.
      read.template().childNamespaces()
          .forEach(namespace -> access.require(Permission.TASKS_CREATE, namespace));
    }
    Registration registration = templates.register(text);
    if (registration instanceof Registration.Registered registered) {
      return answer(201, registered.key(), registered.warnings());
    }
    if (registration instanceof Registration.Unchanged unchanged) {
      return answer(200, unchanged.key(), unchanged.warnings());
    }
    if (registration instanceof Registration.Conflict conflict) {
      throw new Problem(409, "template-exists",
          "template " + conflict.key()
              + " is registered with other content; a change needs a new version",
          List.of(), Map.of());
    }
    if (registration instanceof Registration.NamespaceTaken taken) {
      throw new Problem(409, "namespace-taken", taken.message(),
          List.of(new Problem.Violation("namespace_name", taken.message())), Map.of());
    }
    throw invalid(((Registration.Invalid) registration).problems());
  }

  /**
   * Always 200: {@code valid}, and either the template in its normal form or the problems by line
   * and column.
   */
  @Requires(value = Permission.TEMPLATES_VALIDATE, in = Scope.ASKED)
  @POST
  @Path("validate")
  @Consumes({"application/yaml", "application/x-yaml", "text/yaml", MediaType.TEXT_PLAIN,
    MediaType.APPLICATION_JSON})
  public String validate(InputStream body) {
    TemplateReading reading = templates.validate(bodies.text(body),
        namespace -> access.caller().grants().may(Permission.TEMPLATES_REGISTER, namespace));
    JsonObjectBuilder answer = Json.build().createObjectBuilder();
    JsonArrayBuilder problems = Json.build().createArrayBuilder();
    if (reading instanceof TemplateReading.Read read) {
      return answer.add("valid", true).add("problems", problems)
          .add("template", TemplateJson.toJson(read.template())).build().toString();
    }
    ((TemplateReading.Invalid) reading).problems()
        .forEach(problem -> problems.add(toJson(problem)));
    return answer.add("valid", false).add("problems", problems).build().toString();
  }

  private Response answer(int status, TemplateKey key, List<String> warnings) {
    return locations.answer(status,
        "templates/" + key.namespace() + "/" + Locations.segment(key.name()) + "/" + key.version(),
        Json.build().createObjectBuilder()
            .add("namespace", key.namespace()).add("name", key.name()).add("version", key.version())
            .add("registered", status == 201)
            .add("warnings", Json.build().createArrayBuilder(warnings)).build());
  }

  private static Problem invalid(List<TemplateProblem> problems) {
    List<Problem.Violation> violations = problems.stream()
        .map(problem -> new Problem.Violation(problem.path(),
            "line " + problem.line() + ", column " + problem.column() + ": " + problem.message()))
        .toList();
    String detail = violations.stream()
        .map(violation -> (violation.field().isEmpty() ? "" : violation.field() + ": ")
            + violation.message())
        .limit(MOST_IN_DETAIL).collect(Collectors.joining("; "));
    int more = violations.size() - MOST_IN_DETAIL;
    return new Problem(400, "invalid-template",
        more > 0 ? detail + "; and " + more + " more" : detail, violations, Map.of());
  }

  private static JsonObject toJson(TemplateProblem problem) {
    return Json.build().createObjectBuilder()
        .add("line", problem.line()).add("column", problem.column()).add("path", problem.path())
        .add("message", problem.message())
        .build();
  }
}
