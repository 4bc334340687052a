package ee.tasker.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Secrets and signatures in the form of Standard Webhooks: HMAC-SHA-256 over id, time and body. */
final class Signature {
  static final String PREFIX = "whsec_";
  private static final Pattern SECRET = Pattern.compile(PREFIX + "[A-Za-z0-9+/]{32,86}={0,2}");
  private static final String ALGORITHM = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  private Signature() {
  }

  static String newSecret() {
    byte[] key = new byte[32];
    RANDOM.nextBytes(key);
    return PREFIX + Base64.getEncoder().encodeToString(key);
  }

  /** Whether it is the prefix and 24 to 64 bytes in Base64. */
  static boolean isSecret(String text) {
    if (!SECRET.matcher(text).matches()) {
      return false;
    }
    try {
      int length = key(text).length;
      return length >= 24 && length <= 64;
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
  }

  private static byte[] key(String secret) {
    return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
  }

  /**
   * The value of the header {@code webhook-signature}: one signature for each secret, separated by
   * spaces.
   */
  static String of(List<String> secrets, String id, long seconds, byte[] body) {
    return secrets.stream()
        .map(secret -> "v1,"
            + Base64.getEncoder().encodeToString(sign(key(secret), id + "." + seconds + ".", body)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] sign(byte[] key, String head, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(head.getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
