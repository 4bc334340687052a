package ee.tasker.document;

import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Typed;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AES-GCM with keys of a keystore (PKCS #12), by alias. What it has sealed is the initialization
 * vector of 12 random bytes, the ciphertext and its tag of 16 bytes; the namespace is
 * authenticated. A file that has been replaced is read again, at most every few seconds, so that
 * keys are added without a restart.
 */
@ApplicationScoped
@Typed(KeystoreCodec.class)
class KeystoreCodec implements DocumentCodec {
  private static final String TRANSFORMATION = "AES/GCM/NoPadding";
  private static final int VECTOR_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final long LOOK_AGAIN_NANOS = 5_000_000_000L;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * @param keys by alias
   * @param version of the file that they were read from
   */
  private record Keys(Map<String, SecretKey> keys, Object version, long readAtNanos) {
  }

  private final Optional<Settings.DocumentSettings> settings;
  private final LongSupplier clock;
  private volatile Keys known;

  /** For the container. */
  KeystoreCodec() {
    this(Optional.empty(), System::nanoTime);
  }

  @Inject
  KeystoreCodec(Settings settings) {
    this(settings.documents(), System::nanoTime);
  }

  KeystoreCodec(Optional<Settings.DocumentSettings> settings, LongSupplier clock) {
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public String currentKey(String namespace) {
    Map<String, SecretKey> keys = keys().keys();
    String name = settings.flatMap(Settings.DocumentSettings::key)
        .map(alias -> alias.toLowerCase(Locale.ROOT)).orElseGet(() -> only(keys));
    if (!keys.containsKey(name)) {
      throw new UnknownKeyException("the keystore has no key " + name
          + ", which tasker.documents.key names");
    }
    return name;
  }

  private static String only(Map<String, SecretKey> keys) {
    if (keys.size() != 1) {
      throw new UnknownKeyException("the keystore has " + keys.size()
          + " keys: tasker.documents.key must name the one that seals");
    }
    return keys.keySet().iterator().next();
  }

  @Override
  public byte[] seal(byte[] clear, String key, String namespace) {
    byte[] vector = new byte[VECTOR_BYTES];
    RANDOM.nextBytes(vector);
    byte[] sealed = run(Cipher.ENCRYPT_MODE, key, namespace, vector, clear, 0, clear.length);
    byte[] all = Arrays.copyOf(vector, vector.length + sealed.length);
    System.arraycopy(sealed, 0, all, vector.length, sealed.length);
    return all;
  }

  @Override
  public byte[] open(byte[] sealed, String key, String namespace) {
    if (sealed.length < VECTOR_BYTES + TAG_BITS / 8) {
      throw new IllegalArgumentException("what key " + key + " has sealed is too short");
    }
    return run(Cipher.DECRYPT_MODE, key, namespace, Arrays.copyOf(sealed, VECTOR_BYTES), sealed,
        VECTOR_BYTES, sealed.length - VECTOR_BYTES);
  }

  private byte[] run(int mode, String name, String namespace, byte[] vector, byte[] bytes, int from,
      int length) {
    SecretKey key = keys().keys().get(name);
    if (key == null) {
      throw new UnknownKeyException("the keystore has no key " + name);
    }
    try {
      Cipher cipher = Cipher.getInstance(TRANSFORMATION);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, vector));
      cipher.updateAAD(namespace.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(bytes, from, length);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "it cannot be " + (mode == Cipher.ENCRYPT_MODE ? "sealed" : "opened") + " with key "
              + name + ": " + e.getMessage(),
          e);
    }
  }

  private Keys keys() {
    Settings.DocumentSettings from = settings.orElseThrow(() -> new UnknownKeyException(
        "there are no keys: tasker.documents.keystore is not set"));
    Keys current = known;
    if (current != null && clock.getAsLong() - current.readAtNanos() < LOOK_AGAIN_NANOS) {
      return current;
    }
    synchronized (this) {
      Object version = version(from.keystore());
      Map<String, SecretKey> keys = known != null && version.equals(known.version())
          ? known.keys() : read(from);
      known = new Keys(keys, version, clock.getAsLong());
      return known;
    }
  }

  private static Object version(Path file) {
    try {
      return List.of(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException e) {
      throw new UnknownKeyException("the keystore cannot be read: " + e);
    }
  }

  private static Map<String, SecretKey> read(Settings.DocumentSettings from) {
    char[] password = from.password().toCharArray();
    try (InputStream file = Files.newInputStream(from.keystore())) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(file, password);
      Map<String, SecretKey> keys = new TreeMap<>();
      for (String alias : Collections.list(store.aliases())) {
        Key key = store.getKey(alias, password);
        if (key instanceof SecretKey secret && "AES".equals(secret.getAlgorithm())) {
          keys.put(alias, secret);
        }
      }
      return Map.copyOf(keys);
    } catch (IOException | GeneralSecurityException e) {
      throw new UnknownKeyException("the keystore cannot be read: " + e);
    }
  }
}
