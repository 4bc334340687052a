package ee.tasker.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.run.ServerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReleaseTest {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  private static final String CHANGELOG = """
      # Changelog

      ## [Unreleased]

      ### Added
      - A thing.

      ## [0.2.0] - 2027-02-03

      - Older.

      ## [0.1.0] - 2027-01-02

      - Oldest.
      """;

  @Test
  void notes_are_the_section_of_the_version() throws Exception {
    assertThat(Release.notes(CHANGELOG, "0.2.0")).isEqualTo("# Tasker EE 0.2.0\n\n- Older.\n");
    assertThat(Release.notes(CHANGELOG, "0.1.0")).isEqualTo("# Tasker EE 0.1.0\n\n- Oldest.\n");
    assertThat(Release.notes(CHANGELOG, "0.3.0-SNAPSHOT"))
        .isEqualTo("# Tasker EE 0.3.0-SNAPSHOT\n\n### Added\n- A thing.\n");
    assertThat(
        Release.notes(Files.readString(CHECKOUT.resolve("CHANGELOG.md")), Versions.of(CHECKOUT)))
        .hasSizeGreaterThan(200);
  }

  @Test
  void version_without_a_section_has_no_notes() {
    assertThatThrownBy(() -> Release.notes(CHANGELOG, "0.9.0"))
        .hasMessage("CHANGELOG.md has no section ## [0.9.0]");
  }

  @Test
  void poms_have_what_maven_central_asks_for_except_the_addresses_of_the_project()
      throws Exception {
    assertThat(Release.missingForCentral(CHECKOUT)).containsExactly("pom.xml has no url, no scm");
  }

  /**
   * An engine for containers is not needed to see that a COPY finds its file, and that the releases
   * are those that the build tests with.
   */
  @Test
  void container_images_copy_what_their_context_has() throws Exception {
    String pom = Files.readString(CHECKOUT.resolve("pom.xml"));
    for (ServerKind kind : ServerKind.values()) {
      String server = kind.id();
      String text = Files.readString(CHECKOUT.resolve(ContainerContext.file(kind)));
      String context = ContainerContext.descriptor(CHECKOUT, kind);
      assertThat(text).containsPattern("(?m)^FROM ").containsPattern("(?m)^COPY .*tasker-ee.war ");
      assertThat(text).contains("tasker-ee-" + Versions.of(CHECKOUT).replace("-SNAPSHOT", "")
          + "-container-" + server + ".tar.gz");
      String release = Pattern.compile("<" + server + "\\.version>([^<]+)<").matcher(pom).results()
          .findFirst().orElseThrow().group(1);
      assertThat(text).as("the base image of the server's release")
          .containsPattern("(?m)^ARG BASE=\\S+:" + Pattern.quote(release) + "-\\S*17");
      assertThat(ContainerContext.sources(CHECKOUT, kind))
          .as("what the configuration may include, too").contains("server-config/");
      for (String source : ContainerContext.sources(CHECKOUT, kind)) {
        if (source.startsWith("server-config/")) {
          assertThat(CHECKOUT.resolve("server-config/" + server)
              .resolve(source.substring("server-config/".length()))).exists();
        } else {
          assertThat(context).as(source)
              .contains(
                  source.contains("/") ? ">" + source.replaceAll("/.*", "") + "</outputDirectory>"
                      : "/" + source + "<")
              .contains(source.endsWith("/") ? "</source>"
                  : "/" + source.replaceAll(".*/", "") + "</source>");
        }
      }
    }
  }

  /** A server is a folder in two places, and a constant that names its class. */
  @Test
  void servers_are_those_that_have_a_configuration_and_a_profile() throws Exception {
    List<String> servers = Stream.of(ServerKind.values()).map(ServerKind::id).toList();
    assertThat(folders("server-config")).hasSameElementsAs(servers);
    assertThat(folders("deploy/container")).hasSameElementsAs(servers);
    assertThat(Files.readString(CHECKOUT.resolve("pom.xml")))
        .contains(servers.stream().map(server -> "<profile><id>" + server + "</id>").toList());
  }

  private static List<String> folders(String parent) throws Exception {
    try (Stream<Path> files = Files.list(CHECKOUT.resolve(parent))) {
      return files.filter(Files::isDirectory).map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void java_options_can_be_read_from_a_file_by_java_itself() throws Exception {
    Path options = CHECKOUT.resolve("server-config/payara/jvm.options").toAbsolutePath();
    Process java = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + options,
        "-version")
        .redirectErrorStream(true).start();
    String said = new String(java.getInputStream().readAllBytes());
    assertThat(java.waitFor()).as(said).isZero();
  }
}
