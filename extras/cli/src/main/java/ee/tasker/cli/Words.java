package ee.tasker.cli;

import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * The words that the interface limits parameters and members of bodies to, for help and completion.
 * Its OpenAPI document has them too, and a test compares both.
 */
final class Words {
  private static final JsonObject ALL = read();

  private Words() {
  }

  /**
   * @param member with dots where it is nested
   * @return in the order of the document; empty if it is not limited to words
   */
  static List<String> of(Operation operation, String member) {
    JsonObject limited = ALL.getJsonObject(operation.id());
    return limited == null || !limited.containsKey(member) ? List.of()
        : limited.getJsonArray(member).getValuesAs(JsonString::getString);
  }

  private static JsonObject read() {
    try (InputStream in = Words.class.getResourceAsStream("words.json");
        JsonReader reader = Json.createReader(in)) {
      return reader.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
