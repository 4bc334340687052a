package ee.tasker.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionsTest {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));

  @TempDir
  private Path copy;

  private void copyAll() throws IOException {
    for (String file : Versions.files()) {
      Path to = copy.resolve(file);
      Files.createDirectories(to.getParent());
      Files.copy(CHECKOUT.resolve(file), to);
    }
  }

  @Test
  void every_file_has_the_version_of_the_product() throws Exception {
    assertThat(Versions.complaints(CHECKOUT)).isEmpty();
  }

  @Test
  void version_that_is_set_is_in_every_file_as_its_language_writes_it() throws Exception {
    copyAll();

    Versions.set(copy, "7.8.9-SNAPSHOT", Instant.parse("2027-01-02T00:00:00Z"));

    assertThat(Versions.complaints(copy)).isEmpty();
    assertThat(Files.readString(copy.resolve("pom.xml"))).contains(
        "<version>7.8.9-SNAPSHOT</version>",
        "<project.build.outputTimestamp>2027-01-02T00:00:00Z<");
    assertThat(Files.readString(copy.resolve("clients/python/pyproject.toml")))
        .contains("version = \"7.8.9.dev0\"");
    assertThat(Files.readString(copy.resolve("clients/typescript/package-lock.json")))
        .contains("\"version\": \"7.8.9-dev.0\"")
        .contains("\"version\": \"5.9.3\"");
    assertThat(Files.readString(copy.resolve("src/main/resources/META-INF/tasker/openapi.yaml")))
        .contains("  version: 7.8.9\n");
    for (String file : Versions.files()) {
      assertThat(Files.readString(copy.resolve(file))).as(file).contains("7.8.9");
    }
  }

  @Test
  void file_that_stayed_behind_is_named() throws Exception {
    copyAll();
    Path client = copy.resolve("extras/client/pom.xml");
    Files.writeString(client, Files.readString(client).replaceFirst("<version>[^<]+</version>",
        "<version>0.0.9</version>"));

    assertThat(Versions.complaints(copy))
        .containsExactly("extras/client/pom.xml says 0.0.9; by pom.xml it is " + Versions.of(copy));
  }

  @Test
  void text_that_is_no_version_is_refused_before_a_file_is_touched() throws Exception {
    copyAll();

    assertThatThrownBy(() -> Versions.set(copy, "1.0", Instant.EPOCH))
        .hasMessageContaining("and not: 1.0");
    assertThat(Versions.complaints(copy)).isEmpty();
  }
}
