package ee.tasker.rest.http;

import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Violations;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.load.LargeWork;
import ee.tasker.platform.load.Turns;
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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads request bodies within their limits, and reports where a body is not JSON. Large ones, and
 * those of a namespace that sends costly ones, are parsed when it is the turn of their namespace.
 */
@ApplicationScoped
public class RequestBodies {
  /** The longest body of a batch, as a multiple of that of a single request. */
  public static final int BODY_TIMES = 16;

  private int maxBodyBytes;
  private Function<Body, Turns.Turn> turns;

  /**
   * @param namespace  as its sender names it; null when it names none
   * @param spentNanos how long it took to look at it
   * @param submits    whether it is used in the same turn
   */
  record Body(long length, String namespace, long spentNanos, boolean submits) {
  }

  RequestBodies() {
    // for the proxy
  }

  RequestBodies(int maxBodyBytes) {
    this(maxBodyBytes, body -> () -> {});
  }

  RequestBodies(int maxBodyBytes, Function<Body, Turns.Turn> turns) {
    this.maxBodyBytes = maxBodyBytes;
    this.turns = turns;
  }

  @Inject
  RequestBodies(Settings settings, LargeWork largeWork, Access access) {
    this(settings.maxBodyBytes(), body -> largeWork.begin(access.share(body.namespace()),
        body.length(), body.spentNanos(), body.submits()));
  }

  /**
   * The body with its defaults, checked.
   *
   * @param schema its component of the OpenAPI document
   * @throws Problem 400 malformed-json, 400 invalid-request, 413 body-too-large
   */
  public JsonObject object(InputStream body, String schema) {
    return BodySchema.of(schema).read(object(body));
  }

  /**
   * @param rules that the schema cannot say, see {@link BodySchema#check(JsonObject, BiConsumer)}
   * @throws Problem 400 malformed-json, 400 invalid-request, 413 body-too-large
   */
  public JsonObject object(InputStream body, String schema,
      BiConsumer<JsonObject, Violations> rules) {
    return BodySchema.of(schema).read(object(body), rules);
  }

  /** @throws Problem 400 malformed-json, 413 body-too-large */
  public JsonObject object(InputStream body) {
    return object(body, 1);
  }

  /**
   * @param times the limit as a multiple of that of a single request
   * @throws Problem 400 malformed-json, 413 body-too-large
   */
  public JsonObject object(InputStream body, int times) {
    JsonObject[] read = new JsonObject[1];
    object(body, times, false, object -> read[0] = object);
    return read[0];
  }

  /**
   * For a submission, which takes its turn even if it is small, where its namespace has to: also
   * uses it in that turn.
   *
   * @throws Problem 400 malformed-json, 413 body-too-large, 503 server-busy
   */
  public void object(InputStream body, Consumer<JsonObject> use) {
    object(body, 1, true, use);
  }

  private void object(InputStream body, int times, boolean submits, Consumer<JsonObject> use) {
    int limit = limit(times);
    json(text(body, limit), limit, maxBodyBytes, submits, value -> {
      if (!(value instanceof JsonObject object)) {
        throw Problem.of(400, "malformed-json", "the body must be a JSON object");
      }
      use.accept(object);
    });
  }

  /** In bytes: of a single request, and of what a single request may have within a longer one. */
  public int limit() {
    return maxBodyBytes;
  }

  /** @param times the limit as a multiple of that of a single request */
  public JsonArray array(InputStream body, int times) {
    int limit = limit(times);
    JsonArray[] read = new JsonArray[1];
    json(text(body, limit), limit, maxBodyBytes, true, value -> {
      if (!(value instanceof JsonArray array)) {
        throw Problem.of(400, "malformed-json", "the body must be a JSON array");
      }
      read[0] = array;
    });
    return read[0];
  }

  /** @throws Problem 400 malformed-body, 413 body-too-large */
  public String text(InputStream body) {
    return text(body, maxBodyBytes);
  }

  /** Bounded by the longest body of any operation; each operation then applies its own limit. */
  String longText(InputStream body) {
    return text(body, limit(BODY_TIMES));
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
      int limit = limit(BODY_TIMES);
      String[] canonical = new String[1];
      json(body, limit, limit, false, value -> canonical[0] = CanonicalJson.write(value));
      return canonical[0];
    } catch (Problem notJson) {
      if (notJson.status() == 503) {
        throw notJson;
      }
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
  private void json(String text, int limit, int each, boolean submits, Consumer<JsonValue> use) {
    long begin = System.nanoTime();
    JsonShape shape = new JsonShape(text, limit, each);
    Problem refused = shape.refusal();
    Body body = new Body(text.length(), shape.namespace(), System.nanoTime() - begin, submits);
    // What is refused waits for its turn as well: it took the time of the others, too.
    try (Turns.Turn turn = turns.apply(body)) {
      if (refused != null) {
        throw refused;
      }
      use.accept(parse(text));
    }
  }

  private static JsonValue parse(String text) {
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
