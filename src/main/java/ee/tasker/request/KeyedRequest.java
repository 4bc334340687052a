package ee.tasker.request;

/**
 * A request that carries a key.
 *
 * @param principal who asks; empty when nobody logs in. Keys of two people have nothing to do with each other
 * @param key       as the client chose it, at most {@value #LONGEST_KEY} characters
 * @param hash      SHA-256 of all that makes the request what it is, in hexadecimal digits
 */
public record KeyedRequest(String principal, String key, String hash) {
  public static final int LONGEST_KEY = 255;

  public KeyedRequest {
    if (key.isEmpty() || key.length() > LONGEST_KEY) {
      throw new IllegalArgumentException("key must have 1 to " + LONGEST_KEY + " characters");
    }
  }
}
