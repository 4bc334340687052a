package ee.tasker.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents sealed and opened with keys of a keystore. */
class SealsTest {
  private static final SealedPlaces PLACES = SealedPlaces.of(Json.parse(
      "{\"properties\": {\"iban\": {\"x-sealed\": true}, \"many\": {\"items\": {\"x-sealed\": true}}}}"));
  private static final String CLEAR = "{\"iban\":\"DE02 \\u00fc\",\"many\":[1,{\"a\":[null]}],\"id\":7}";

  @TempDir
  private Path folder;
  private long nanos;

  private Path keystore(String... aliases) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (String alias : aliases) {
      byte[] key = new byte[32];
      java.util.Arrays.fill(key, (byte) alias.hashCode());
      store.setEntry(alias, new KeyStore.SecretKeyEntry(new SecretKeySpec(key, "AES")),
          new KeyStore.PasswordProtection("keys of a test".toCharArray()));
    }
    Path file = folder.resolve("keys.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, "keys of a test".toCharArray());
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_700_000_000 + nanos)));
    return file;
  }

  private Seals seals(Path file, String key) {
    LongSupplier clock = () -> nanos;
    return new CodecSeals(new KeystoreCodec(Optional.of(
        new Settings.DocumentSettings(file, "keys of a test", Optional.ofNullable(key))), clock));
  }

  private static JsonObject key(JsonValue sealed) {
    return sealed.asJsonObject().getJsonObject("iban").getJsonObject("$sealed");
  }

  private static void assertProblem(Runnable call, int status, String code) {
    assertThatThrownBy(call::run).isInstanceOfSatisfying(Problem.class, problem -> {
      assertThat(problem.status()).isEqualTo(status);
      assertThat(problem.code()).isEqualTo(code);
    });
  }

  @Test
  void what_is_sealed_is_unreadable_and_opens_again_wherever_it_stands() throws Exception {
    Seals seals = seals(keystore("a"), null);
    JsonValue clear = Json.parse(CLEAR);

    JsonValue sealed = seals.seal(clear, PLACES, "shop");

    assertThat(sealed.toString()).doesNotContain("DE02").contains("\"id\":7");
    assertThat(key(sealed).getString("key")).isEqualTo("a");
    assertThat(seals.open(sealed, "shop")).isEqualTo(clear);
    JsonValue copied = Json.build().createArrayBuilder().add(1)
        .add(Json.build().createObjectBuilder().add("b", sealed.asJsonObject().get("iban")))
        .build();
    assertThat(seals.open(copied, "shop").toString()).isEqualTo("[1,{\"b\":\"DE02 \u00fc\"}]");
    assertThat(seals.open(clear, "shop")).isSameAs(clear);
  }

  @Test
  void the_same_value_is_sealed_differently_each_time_and_never_twice() throws Exception {
    Seals seals = seals(keystore("a"), null);
    JsonValue first = seals.seal(Json.parse(CLEAR), PLACES, "shop");

    assertThat(seals.seal(Json.parse(CLEAR), PLACES, "shop")).isNotEqualTo(first);
    assertThat(seals.seal(first, PLACES, "shop")).isEqualTo(first);
  }

  @Test
  void a_changed_one_and_one_of_another_namespace_do_not_open() throws Exception {
    Seals seals = seals(keystore("a"), null);
    JsonObject sealed = seals.seal(Json.parse("{\"iban\": 1}"), PLACES, "shop").asJsonObject();
    String data = key(sealed).getString("data");
    String changed = (data.charAt(0) == 'A' ? "B" : "A") + data.substring(1);

    assertProblem(() -> seals.open(sealed, "bank"), 409, "document-not-opened");
    for (String wrong : new String[]{changed, "", "no base64", data.substring(0, 16)}) {
      assertProblem(() -> seals.open(Json.parse(sealed.toString().replace(data, wrong)), "shop"),
          409, "document-not-opened");
    }
  }

  @Test
  void keys_are_added_without_a_restart_and_old_ones_open() throws Exception {
    Path file = keystore("a");
    Seals old = seals(file, null);
    JsonValue first = old.seal(Json.parse(CLEAR), PLACES, "shop");
    nanos += 1;
    keystore("a", "B");
    Seals renewed = seals(file, "B");
    JsonValue second = renewed.seal(Json.parse(CLEAR), PLACES, "shop");

    assertThat(key(second).getString("key")).isEqualTo("b");
    assertThat(renewed.open(first, "shop")).isEqualTo(Json.parse(CLEAR));
    assertProblem(() -> old.open(second, "shop"), 503, "document-key-missing");
    nanos += 6_000_000_000L;
    assertThat(old.open(second, "shop")).as("it has looked again").isEqualTo(Json.parse(CLEAR));
    assertProblem(() -> old.seal(Json.parse(CLEAR), PLACES, "shop"), 503, "document-key-missing");
  }

  @Test
  void without_keys_nothing_is_stored_in_clear() throws Exception {
    Seals none = new CodecSeals(new KeystoreCodec(Optional.empty(), () -> 0));

    assertProblem(() -> none.seal(Json.parse(CLEAR), PLACES, "shop"), 503, "document-key-missing");
    assertThat(none.seal(Json.parse("{\"id\": 7}"), PLACES, "shop").toString())
        .isEqualTo("{\"id\":7}");
    assertProblem(() -> seals(folder.resolve("none"), null).seal(Json.parse(CLEAR), PLACES, "shop"),
        503, "document-key-missing");
    assertProblem(() -> seals(keystoreOf("a"), "c").seal(Json.parse(CLEAR), PLACES, "shop"), 503,
        "document-key-missing");
  }

  private Path keystoreOf(String... aliases) {
    try {
      return keystore(aliases);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void a_keystore_of_keytool_is_read() throws Exception {
    Path file = folder.resolve("made.p12");
    Process keytool = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin/keytool").toString(), "-genseckey", "-alias",
        "documents-2026", "-keyalg", "AES", "-keysize", "256", "-storetype", "PKCS12", "-keystore",
        file.toString(), "-storepass", "keys of a test").redirectErrorStream(true)
        .redirectOutput(folder.resolve("keytool.log").toFile()).start();
    assertThat(keytool.waitFor()).isZero();
    Seals seals = seals(file, null);

    JsonValue sealed = seals.seal(Json.parse(CLEAR), PLACES, "shop");

    assertThat(key(sealed).getString("key")).isEqualTo("documents-2026");
    assertThat(seals.open(sealed, "shop")).isEqualTo(Json.parse(CLEAR));
  }

  @Test
  void a_codec_with_a_wrong_name_of_its_key_seals_nothing() {
    DocumentCodec wrong = new DocumentCodec() {
      @Override
      public String currentKey(String namespace) {
        return "a key\"";
      }

      @Override
      public byte[] seal(byte[] clear, String key, String namespace) {
        return clear;
      }

      @Override
      public byte[] open(byte[] sealed, String key, String namespace) {
        return sealed;
      }
    };

    assertThatThrownBy(() -> new CodecSeals(wrong).seal(Json.parse(CLEAR), PLACES, "shop"))
        .isInstanceOf(IllegalStateException.class).hasMessageContaining("the name of a key");
  }
}
