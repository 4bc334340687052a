package ee.tasker.testing.server;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a server answered. */
public record Answer(String request, int status, java.net.http.HttpHeaders headers, String body) {

  static Answer of(HttpResponse<String> response) {
    return of(response, response.body());
  }

  static Answer of(HttpResponse<?> response, String body) {
    return new Answer(response.request().method() + " " + response.request().uri(),
        response.statusCode(), response.headers(), body);
  }

  public JsonValue json() {
    // Parsson alone stops at numbers of 1100 digits.
    try (JsonReader reader = Json
        .createReaderFactory(Map.of("org.eclipse.parsson.maxBigDecimalLength", 200_000))
        .createReader(new StringReader(body))) {
      return reader.readValue();
    } catch (RuntimeException e) {
      throw new AssertionError("expected JSON: " + this, e);
    }
  }

  public JsonObject object() {
    return json().asJsonObject();
  }

  /** What a list, or the answer to a batch, has under its plural. */
  public List<JsonObject> list(String plural) {
    return object().getJsonArray(plural).getValuesAs(JsonObject.class);
  }

  public UUID taskUuid() {
    return UUID.fromString(text("task_uuid"));
  }

  public String text(String member) {
    if (!(object().get(member) instanceof JsonString text)) {
      throw new AssertionError("expected a text " + member + ": " + this);
    }
    return text.getString();
  }

  public String header(String name) {
    return headers.firstValue(name).orElse("");
  }

  /** The fields that a problem document complains about. */
  public List<String> fields() {
    return object().containsKey("violations")
        ? object().getJsonArray("violations").getValuesAs(JsonObject.class).stream()
            .map(each -> each.getString("field")).toList()
        : List.of();
  }

  @Override
  public String toString() {
    return request + " -> " + status + " " + body;
  }
}
