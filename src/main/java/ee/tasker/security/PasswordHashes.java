package ee.tasker.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * PBKDF2 in the format of Jakarta Security's {@code Pbkdf2PasswordHash}, {@code
 * algorithm:iterations:salt:hash}. Computed
 * by the JDK, so that it is the same on every server and in other programs, and the same as {@code
 * tasker.hash_password}.
 */
public final class PasswordHashes {
  /** The recommendation of OWASP's cheat sheet on password storage. */
  public static final int ITERATIONS = 210_000;
  private static final String ALGORITHM = "PBKDF2WithHmacSHA512";
  private static final int BYTES = 32;
  private static final Pattern FORM = Pattern
      .compile("(PBKDF2WithHmacSHA(?:256|384|512)):(\\d{1,9}):([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");
  private static final SecureRandom RANDOM = new SecureRandom();

  private PasswordHashes() {
  }

  public static String hash(String password) {
    byte[] salt = new byte[BYTES];
    RANDOM.nextBytes(salt);
    Base64.Encoder base64 = Base64.getEncoder();
    return ALGORITHM + ":" + ITERATIONS + ":" + base64.encodeToString(salt) + ":"
        + base64.encodeToString(derive(ALGORITHM, password, salt, ITERATIONS, BYTES));
  }

  public static boolean isHash(String text) {
    var parts = FORM.matcher(text);
    return parts.matches() && Integer.parseInt(parts.group(2)) > 0;
  }

  /** Compares in constant time. False for a malformed hash. */
  public static boolean matches(String password, String hash) {
    var parts = FORM.matcher(hash == null ? "" : hash);
    if (!parts.matches() || password.isEmpty()) {
      return false;
    }
    byte[] expected = Base64.getDecoder().decode(parts.group(4));
    byte[] actual = derive(parts.group(1), password, Base64.getDecoder().decode(parts.group(3)),
        Integer.parseInt(parts.group(2)), expected.length);
    return MessageDigest.isEqual(expected, actual);
  }

  private static byte[] derive(String algorithm, String password, byte[] salt, int iterations,
      int bytes) {
    PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, iterations, bytes * 8);
    try {
      return SecretKeyFactory.getInstance(algorithm).generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java cannot compute " + algorithm, e);
    } finally {
      spec.clearPassword();
    }
  }
}
