package ee.tasker.testing.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;

/** A keystore with one key for sealed members. */
public final class DocumentKeys {
  public static final String ALIAS = "first";
  private static final String PASSWORD = "of the keystore";

  private DocumentKeys() {
  }

  /** Makes it in the folder. @return the settings of a server that uses it */
  public static Map<String, String> settings(Path folder) {
    Path file = folder.resolve("keys.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setEntry(ALIAS, new KeyStore.SecretKeyEntry(new SecretKeySpec(new byte[32], "AES")),
          new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
      store.store(out, PASSWORD.toCharArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    return Map.of("TASKER_DOCUMENTS_KEYSTORE", file.toString(),
        "TASKER_DOCUMENTS_KEYSTORE_PASSWORD", PASSWORD);
  }
}
