package ee.tasker.samples;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Creates ids that stay the same across attempts: a hash of what identifies the object, for
 * instance the task and the line
 * of its cart. With a random id, a second attempt would look like a second payment.
 */
public final class StableId {

  private StableId() {
  }

  /** @return the prefix and the given number of hex digits, at most 64 */
  public static String of(String prefix, int digits, Object... identity) {
    StringBuilder text = new StringBuilder(prefix);
    for (Object part : identity) {
      text.append('\n').append(part);
    }
    return prefix + hex("SHA-256", text.toString()).substring(0, digits);
  }

  /** The hex digest of a text in UTF-8, in lower case. */
  public static String hex(String algorithm, String text) {
    try {
      byte[] digest = MessageDigest.getInstance(algorithm)
          .digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
