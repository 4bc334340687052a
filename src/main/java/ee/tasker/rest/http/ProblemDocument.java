package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.core.Response;
import java.util.Locale;
import java.util.Map;

/** An RFC 9457 response. */
public final class ProblemDocument {
  static final String MEDIA_TYPE = "application/problem+json";
  static final int RETRY_AFTER_SECONDS = 5;

  /** Members that are also sent as a header. */
  private static final Map<String, String> HEADERS = Map.of("location", "Location",
      "retry_after_seconds", "Retry-After");

  private ProblemDocument() {
  }

  static JsonObject json(Problem problem, String instance) {
    JsonObjectBuilder document = start(problem.status(), problem.code(), problem.getMessage(),
        instance);
    if (!problem.violations().isEmpty()) {
      JsonArrayBuilder violations = Json.build().createArrayBuilder();
      problem.violations().forEach(violation -> violations.add(
          Json.build().createObjectBuilder().add("field", violation.field()).add("message",
              violation.message())));
      document.add("violations", violations);
    }
    problem.extras().forEach((key, value) -> {
      if (value instanceof Number number) {
        document.add(key, number.longValue());
      } else {
        document.add(key, value.toString());
      }
    });
    return document.build();
  }

  public static Response of(Problem problem, String instance) {
    Response.ResponseBuilder answer = Response.status(problem.status()).type(MEDIA_TYPE)
        .entity(json(problem, instance).toString());
    problem.extras().forEach((key, value) -> {
      if (HEADERS.containsKey(key)) {
        answer.header(HEADERS.get(key), value);
      }
    });
    if (problem.code().equals(FaultMapper.UNAVAILABLE)) {
      answer.header("Retry-After", RETRY_AFTER_SECONDS);
    }
    return answer.build();
  }

  static Response of(int status, String code, String detail, String instance) {
    return Response.status(status).type(MEDIA_TYPE)
        .entity(start(status, code, detail, instance).build().toString()).build();
  }

  static JsonObject plain(int status, String code, String detail, String instance) {
    return start(status, code, detail, instance).build();
  }

  private static JsonObjectBuilder start(int status, String code, String detail, String instance) {
    String title = code.replace('-', ' ').replace("json", "JSON");
    return Json.build().createObjectBuilder()
        .add("type", "urn:tasker:problem:" + code)
        .add("title", title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1))
        .add("status", status)
        .add("detail", detail == null ? title : detail)
        .add("instance", instance)
        .add("code", code);
  }
}
