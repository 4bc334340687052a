package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code .ci/generated} builds what this makes. */
class InitTest {
  @TempDir
  private Path folder;
  private Program tasker;

  @BeforeEach
  void start() {
    tasker = new Program(folder.resolve("configuration"));
  }

  @AfterEach
  void close() {
    tasker.close();
  }

  private List<String> files() throws IOException {
    Path shop = folder.resolve("shop");
    if (!Files.exists(shop)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(shop)) {
      return files.filter(Files::isRegularFile)
          .map(file -> shop.relativize(file).toString().replace('\\', '/')).sorted().toList();
    }
  }

  @Test
  void application_has_a_handler_a_template_a_test_and_the_build() throws IOException {
    assertThat(
        tasker.run("init", folder.resolve("shop").toString(), "--package", "org.example.shop"))
        .as(tasker.err).isZero();

    assertThat(files()).containsExactly(".gitignore", "README.md", "pom.xml",
        "src/main/java/org/example/shop/Greet.java",
        "src/main/resources/META-INF/tasker-templates",
        "src/main/resources/org/example/shop/greeting.yaml",
        "src/test/java/org/example/shop/GreetingTest.java");
    for (String file : files()) {
      assertThat(Files.readString(folder.resolve("shop").resolve(file))
          .replaceAll("@(ApplicationScoped|Handles|Override|TaskerTest|BeforeEach|Test)\\b", ""))
          .as(file).doesNotContain("@");
    }
    assertThat(Files.readString(folder.resolve("shop/pom.xml")))
        .contains("<artifactId>shop</artifactId>", "${tasker.version}")
        .containsPattern("<tasker.version>\\d+\\.\\d+\\.\\d+[^<]*<");
    assertThat(tasker.requests).isEmpty();
  }

  @Test
  void application_with_entities_has_one_and_its_persistence_unit_too() throws IOException {
    assertThat(tasker.run("init", folder.resolve("shop").toString(), "--package",
        "org.example.shop", "--jpa")).as(tasker.err).isZero();

    assertThat(files()).contains("src/main/java/org/example/shop/BookPayment.java",
        "src/main/java/org/example/shop/Greet.java", "src/main/java/org/example/shop/Payment.java",
        "src/main/resources/META-INF/persistence.xml",
        "src/main/resources/org/example/shop/booking.yaml", "src/main/sql/payments.sql");
    Path shop = folder.resolve("shop");
    assertThat(Files.readAllLines(shop.resolve("src/main/resources/META-INF/tasker-templates")))
        .contains("org/example/shop/greeting.yaml", "org/example/shop/booking.yaml");
    assertThat(Files.readString(shop.resolve("pom.xml"))).contains("<archiveClasses>true<");
    assertThat(Files.readString(shop.resolve("README.md"))).contains("\n## Entities\n");
    for (String file : files()) {
      assertThat(Files.readString(shop.resolve(file))).as(file)
          .doesNotContainPattern("@(name|package|folder|namespace|version|archive)@");
    }
  }

  /** The example is the code that {@code .ci/generated} builds and deploys. */
  @Test
  void page_about_handlers_shows_the_handler_that_is_made() throws IOException {
    tasker.run("init", folder.resolve("shop").toString(), "--package", "shop", "--jpa");
    String page = Files.readString(Path.of("../../docs/handlers.md"));
    String code = Files.readString(folder.resolve("shop/src/main/java/shop/BookPayment.java"));

    assertThat(page)
        .contains("```java\n" + code.substring(code.indexOf("\n@") + 1).strip() + "\n```");
    String unit = Files
        .readString(folder.resolve("shop/src/main/resources/META-INF/persistence.xml"));
    assertThat(page).contains(
        "```xml\n" + unit.substring(unit.indexOf("<persistence ")).strip() + "\n```");
  }

  @Test
  void folder_that_has_something_is_left_alone() throws IOException {
    Files.createDirectories(folder.resolve("shop"));
    Files.writeString(folder.resolve("shop/mine.txt"), "mine");

    assertThat(tasker.run("init", folder.resolve("shop").toString())).isEqualTo(Exit.USAGE);

    assertThat(tasker.err).contains("is not empty");
    assertThat(files()).containsExactly("mine.txt");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--package=Shop", "--package=a..b", "--package=org.new", "--package=../x",
    "--name=<x>", "--name=a b"})
  void name_that_java_or_maven_would_refuse_makes_nothing(String option) throws IOException {
    assertThat(tasker.run("init", folder.resolve("shop").toString(), option)).isEqualTo(Exit.USAGE);

    assertThat(tasker.err).startsWith("tasker: \"").doesNotContain("\tat ");
    assertThat(files()).isEmpty();
  }
}
