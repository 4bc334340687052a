package ee.tasker.request;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;

/** Reply of {@code tasker.claim_idempotency_key}. */
sealed interface KeyClaim {

  /** The key is this request's, which is executed now. */
  record Claimed() implements KeyClaim {
  }

  /** The request was executed before. */
  record Replay(IdempotentResponse response) implements KeyClaim {
  }

  /** The key was used for another request. */
  record OtherRequest() implements KeyClaim {
  }

  /** A request with the key is still running. */
  record Busy() implements KeyClaim {
  }

  static KeyClaim of(JsonObject reply) {
    String verdict = reply.getString("verdict");
    return switch (verdict) {
      case "new" -> new Claimed();
      case "replay" -> new Replay(
          new IdempotentResponse(reply.getInt("status"), Json.text(reply, "location"),
              reply.getString("body"), true));
      case "other_request" -> new OtherRequest();
      case "busy" -> new Busy();
      default ->
        throw new IllegalArgumentException("unknown verdict on an idempotency key: " + verdict);
    };
  }
}
