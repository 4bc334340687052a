package ee.tasker.worker;

import ee.tasker.platform.JsonbCheck;
import jakarta.json.JsonValue;
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
    long bytes = JsonbCheck.size(value);
    return bytes <= MOST_BYTES ? Optional.empty()
        : Optional.of("the checkpoint has " + bytes + " bytes, and may have at most " + MOST_BYTES);
  }
}
