package ee.tasker.rest;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Settings;
import ee.tasker.template.CanonicalJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonParsingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Reads request bodies within their limits, and reports where a body is not JSON. */
@ApplicationScoped
public class RequestBodies {
  private int maxBodyBytes;

  RequestBodies() {
    // for the proxy
  }

  RequestBodies(int maxBodyBytes) {
    this.maxBodyBytes = maxBodyBytes;
  }

  @Inject
  RequestBodies(Settings settings) {
    this(settings.maxBodyBytes());
  }

  /** @throws Problem 400 malformed-json, 413 body-too-large */
  JsonObject object(InputStream body) {
    return object(body, 1);
  }

  /**
   * @param times the limit as a multiple of that of a single request
   * @throws Problem 400 malformed-json, 413 body-too-large
   */
  JsonObject object(InputStream body, int times) {
    int limit = limit(times);
    if (json(text(body, limit), limit, maxBodyBytes) instanceof JsonObject object) {
      return object;
    }
    throw Problem.of(400, "malformed-json", "the body must be a JSON object");
  }

  /** In bytes: of a single request, and of what a single request may have within a longer one. */
  int limit() {
    return maxBodyBytes;
  }

  /** @param times the limit as a multiple of that of a single request */
  JsonArray array(InputStream body, int times) {
    int limit = limit(times);
    if (json(text(body, limit), limit, maxBodyBytes) instanceof JsonArray array) {
      return array;
    }
    throw Problem.of(400, "malformed-json", "the body must be a JSON array");
  }

  String text(InputStream body) {
    return text(body, maxBodyBytes);
  }

  /** Bounded by the longest body of any operation; each operation then applies its own limit. */
  String longText(InputStream body) {
    return text(body, limit(TaskBatchesResource.BODY_TIMES));
  }

  private int limit(int times) {
    return (int) Math.min((long) maxBodyBytes * times, Integer.MAX_VALUE - 8);
  }

  /**
   * JSON in canonical form, independent of whitespace and the order of members; any other text
   * unchanged.
   */
  String canonical(String body) {
    try {
      int limit = limit(TaskBatchesResource.BODY_TIMES);
      return CanonicalJson.write(json(body, limit, limit));
    } catch (Problem notJson) {
      return body;
    }
  }

  private static String text(InputStream body, int limit) {
    try {
      byte[] bytes = body.readNBytes(limit + 1);
      if (bytes.length > limit) {
        throw Problem.of(413, "body-too-large", "the body must have at most " + limit + " bytes");
      }
      return StandardCharsets.UTF_8.newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw Problem.of(400, "malformed-body", "the body is not UTF-8");
    } catch (IOException e) {
      throw Problem.of(400, "malformed-body", "the body could not be read");
    }
  }

  /**
   * @param limit in bytes, of the whole with all digits of its numbers
   * @param each  the same of one element of a batch
   */
  private static JsonValue json(String text, int limit, int each) {
    JsonShape.check(text, limit, each);
    try {
      return Json.parse(text);
    } catch (JsonParsingException e) {
      throw Problem.of(400, "malformed-json",
          "the body is not JSON: " + (isDuplicate(e) ? "two members of the same name before " : "")
              + "line " + e.getLocation().getLineNumber() + ", column "
              + e.getLocation().getColumnNumber());
    } catch (JsonException | NumberFormatException | ArithmeticException
        | UnsupportedOperationException e) {
      throw Problem.of(400, "malformed-json", "the body is not JSON");
    }
  }

  private static boolean isDuplicate(JsonParsingException e) {
    return e.getMessage() != null && e.getMessage().startsWith("Duplicate key");
  }
}
