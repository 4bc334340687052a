package ee.tasker.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA-256 under a key that is generated at process start and never leaves the process:
 * in-memory caches store this
 * digest instead of the secret.
 */
final class KeyedDigest {
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  KeyedDigest() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, ALGORITHM);
  }

  /** Comparable only with digests under the same key. */
  record Digest(ByteBuffer bytes) {
    @Override
    public String toString() {
      return "Digest";
    }
  }

  Digest of(String kind, String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(kind.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      return new Digest(ByteBuffer.wrap(mac.doFinal(secret.getBytes(StandardCharsets.UTF_8))));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java cannot compute " + ALGORITHM, e);
    }
  }
}
