package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.net.http.HttpHeaders;
import java.util.Optional;

/** The answer to a request that succeeded. */
public final class Reply {
  private final int status;
  private final HttpHeaders headers;
  private final String body;

  Reply(int status, HttpHeaders headers, String body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The HTTP status, 200 to 299; of the health checks also 503. */
  public int status() {
    return status;
  }

  /** The first value of the header. */
  public Optional<String> header(String name) {
    return headers.firstValue(name);
  }

  /**
   * Whether the server answers with the stored answer to an earlier request of the same idempotency
   * key.
   */
  public boolean replayed() {
    return header("Idempotent-Replayed").filter("true"::equals).isPresent();
  }

  /** The body as it came. */
  public String text() {
    return body;
  }

  /**
   * The body as JSON; every answer under {@code /v1} is an object.
   *
   * @throws UnreachableException if it is not: something other than the product has answered
   */
  public JsonObject json() {
    try (JsonReader reader = Json.createReader(new StringReader(body))) {
      return reader.readObject();
    } catch (JsonException | IllegalStateException e) {
      throw new UnreachableException(
          "The answer is not a JSON object; is this the address of a Tasker EE server?", e);
    }
  }
}
