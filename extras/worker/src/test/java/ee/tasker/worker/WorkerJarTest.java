package ee.tasker.worker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One claim loop and one way of results: the jar has the product's classes (ADR 0091). Each rule is
 * also tried on a jar that breaks it.
 */
class WorkerJarTest {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  private static final Path PRODUCT = CHECKOUT.resolve("target/classes");
  private static final Path JAR = CHECKOUT.resolve("extras/worker/target/classes");

  /** What only an application has, and why it is not in the product's WAR. */
  private static final Set<String> OWN = Set.of(
      // The way to the database, the settings, and a look at the schema in place of a migration.
      "ee.tasker.platform.sql.ApplicationDataSource",
      "ee.tasker.platform.config.ApplicationSettings",
      "ee.tasker.platform.sql.DataSourceCalls", "ee.tasker.platform.sql.SchemaFit",
      // The start, the poll without an orchestrator, and what is in the servers.
      "ee.tasker.worker.ApplicationStart", "ee.tasker.worker.ClaimPoll",
      "ee.tasker.worker.EngineElsewhere", "ee.tasker.worker.StorageProbe");

  private static Set<Path> classes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".class")).map(folder::relativize)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static JavaClasses own(Path jar) throws IOException {
    List<Path> files = classes(jar).stream().filter(file -> !Files.exists(PRODUCT.resolve(file)))
        .map(jar::resolve).toList();
    return new ClassFileImporter().importPaths(files);
  }

  private static void expectSameBytes(Path jar) throws IOException {
    Set<Path> shared = classes(jar);
    shared.retainAll(classes(PRODUCT));

    assertThat(shared).hasSizeGreaterThan(200);
    assertThat(shared.stream().filter(file -> !same(jar, file))).isEmpty();
  }

  private static boolean same(Path jar, Path file) {
    try {
      return Arrays.equals(Files.readAllBytes(jar.resolve(file)),
          Files.readAllBytes(PRODUCT.resolve(file)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void expectWholeComponents(Path jar) throws IOException {
    Set<Path> there = classes(jar);

    assertThat(classes(PRODUCT).stream()
        .filter(file -> !file.endsWith("package-info.class"))
        .filter(file -> Stream.of("worker", "dispatch", "step")
            .anyMatch(component -> file.startsWith(Path.of("ee", "tasker", component))))
        .filter(file -> !there.contains(file))).isEmpty();
  }

  private static void expectKnownAdditions(Path jar) throws IOException {
    assertThat(own(jar).stream().filter(JavaClass::isTopLevelClass).map(JavaClass::getName))
        .containsExactlyInAnyOrderElementsOf(OWN);
  }

  /** Nothing that it adds claims, runs or submits. */
  private static void expectNoSecondWorker(Path jar) throws IOException {
    noClasses().should().dependOnClassesThat(
        DescribedPredicate.describe("claim, run or submit", (JavaClass type) -> type
            .getPackageName().matches("ee\\.tasker\\.(dispatch|step)(\\..*)?")
            || Set.of("ResultBatcher", "StepRunner", "Worker", "StepTransactions", "Outcomes")
                .contains(type.getSimpleName())))
        .check(own(jar));
  }

  private static void expectNoServer(Path jar) throws IOException {
    assertThat(classes(jar).stream().map(Path::toString))
        .noneMatch(name -> name.matches(
            "ee/tasker/(rest|security|orchestration|operation|insight|management|event|webhook)/.*"))
        .noneMatch(name -> name.contains("SchemaMigration") || name.contains("SchemaInstaller"));
    assertThat(jar.resolve("db/migration")).doesNotExist();
    assertThat(jar.resolve("db/routines.sql")).doesNotExist();
    assertThat(jar.resolve("META-INF/persistence.xml")).doesNotExist();
  }

  @Test
  void classes_of_the_product_are_the_same_in_bytes() throws IOException {
    expectSameBytes(JAR);
  }

  @Test
  void class_that_differs_is_noticed(@TempDir Path changed) throws IOException {
    copyTo(changed);
    Path permits = changed.resolve("ee/tasker/dispatch/Permits.class");
    byte[] bytes = Files.readAllBytes(permits);
    bytes[bytes.length - 1]++;
    Files.write(permits, bytes);

    assertThatThrownBy(() -> expectSameBytes(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("Permits.class");
  }

  @Test
  void worker_dispatch_and_step_are_there_as_a_whole() throws IOException {
    expectWholeComponents(JAR);
  }

  @Test
  void class_that_is_missing_is_noticed(@TempDir Path changed) throws IOException {
    copyTo(changed);
    Files.delete(changed.resolve("ee/tasker/dispatch/Permits.class"));

    assertThatThrownBy(() -> expectWholeComponents(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("Permits.class");
  }

  @Test
  void what_it_adds_is_known_by_name() throws IOException {
    expectKnownAdditions(JAR);
  }

  /** This test has a class of its own that the list lacks, and it knows the worker. */
  @Test
  void second_worker_is_noticed(@TempDir Path changed) throws IOException {
    copyTo(changed);
    Path another = Path.of("ee/tasker/worker/AnotherWorker.class");
    Files.copy(CHECKOUT.resolve("extras/worker/target/test-classes").resolve(another),
        changed.resolve(another));

    assertThatThrownBy(() -> expectKnownAdditions(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("ee.tasker.worker.AnotherWorker");
    assertThatThrownBy(() -> expectNoSecondWorker(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("ee.tasker.worker.AnotherWorker");
  }

  @Test
  void what_it_adds_knows_neither_steps_nor_permits_nor_results() throws IOException {
    expectNoSecondWorker(JAR);
  }

  @Test
  void it_has_no_rest_console_or_migration() throws IOException {
    expectNoServer(JAR);
  }

  @Test
  void part_of_a_server_is_noticed(@TempDir Path changed) throws IOException {
    copyTo(changed);
    Path resource = changed.resolve("ee/tasker/rest/task/TasksResource.class");
    Files.createDirectories(resource.getParent());
    Files.copy(PRODUCT.resolve("ee/tasker/rest/task/TasksResource.class"), resource);

    assertThatThrownBy(() -> expectNoServer(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("TasksResource.class");

    Files.delete(resource);
    Files.createDirectories(changed.resolve("db/migration"));
    assertThatThrownBy(() -> expectNoServer(changed)).isInstanceOf(AssertionError.class)
        .hasMessageContaining("migration");
  }

  private static void copyTo(Path folder) throws IOException {
    for (Path file : classes(JAR)) {
      Files.createDirectories(folder.resolve(file).getParent());
      Files.copy(JAR.resolve(file), folder.resolve(file));
    }
  }
}
