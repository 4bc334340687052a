package ee.tasker.testing.sealing;

import ee.tasker.document.DocumentCodec;
import ee.tasker.document.UnknownKeyException;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Turns each bit, and binds to the namespace by its first letter. Has one key, until told. */
@ApplicationScoped
public class TurningCodec implements DocumentCodec {
  private static final String KEY = "of-the-application";

  @Override
  public String currentKey(String namespace) {
    return KEY;
  }

  @Override
  public byte[] seal(byte[] clear, String key, String namespace) {
    byte[] sealed = Arrays.copyOf(clear, clear.length + 1);
    turn(sealed, clear.length);
    sealed[clear.length] = namespace.getBytes(StandardCharsets.UTF_8)[0];
    return sealed;
  }

  @Override
  public byte[] open(byte[] sealed, String key, String namespace) {
    if (!KEY.equals(key)) {
      throw new UnknownKeyException("the application has no key " + key);
    }
    if (sealed[sealed.length - 1] != namespace.getBytes(StandardCharsets.UTF_8)[0]) {
      throw new IllegalArgumentException("another namespace");
    }
    byte[] clear = Arrays.copyOf(sealed, sealed.length - 1);
    turn(clear, clear.length);
    return clear;
  }

  private static void turn(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }
}
