package ee.tasker.worker;

import ee.tasker.platform.JsonbCheck;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What a checkpoint may be; {@code tasker.check_checkpoint} has the same limit. */
public final class Checkpoints {
  public static final String NOT_STORABLE = "checkpoint_not_storable";
  static final int MOST_BYTES = 65_536;

  private Checkpoints() {
  }

  /** Why the value may not be a checkpoint; empty if it may. */
  public static Optional<String> complaint(JsonValue value) {
    Optional<String> unstorable = JsonbCheck.complaint(value).map(why -> "checkpoint " + why);
    if (unstorable.isPresent()) {
      return unstorable;
    }
    long bytes = value.toString().getBytes(StandardCharsets.UTF_8).length + blanks(value);
    return bytes <= MOST_BYTES ? Optional.empty()
        : Optional.of("the checkpoint has " + bytes + " bytes, and may have at most " + MOST_BYTES);
  }

  /** PostgreSQL writes a blank after each comma and colon between members and elements. */
  private static long blanks(JsonValue value) {
    if (value instanceof JsonObject object) {
      return Math.max(0, 2L * object.size() - 1) + object.values().stream().mapToLong(Checkpoints::blanks).sum();
    }
    if (value instanceof JsonArray array) {
      return Math.max(0, array.size() - 1) + array.stream().mapToLong(Checkpoints::blanks).sum();
    }
    return 0;
  }
}
