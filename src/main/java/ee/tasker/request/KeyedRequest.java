package ee.tasker.request;

/**
 * A request with an idempotency key.
 *
 * @param principal the caller; empty without authentication. Keys of different callers are
 *   independent
 * @param key       as the client chose it, at most {@value #LONGEST_KEY} characters
 * @param hash      SHA-256 of everything that identifies the request, in hexadecimal digits
 */
public record KeyedRequest(String principal, String key, String hash) {
  public static final int LONGEST_KEY = 255;

  public KeyedRequest {
    if (key.isEmpty() || key.length() > LONGEST_KEY) {
      throw new IllegalArgumentException("key must have 1 to " + LONGEST_KEY + " characters");
    }
  }
}
