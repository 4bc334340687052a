package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * For tests that come after all tests of the database, with the integration tests, and judge what
 * these have recorded.
 */
public final class WholeRun {
  private WholeRun() {
  }

  /**
   * The test is skipped when this run of Maven was told to skip the unit tests or to run some of
   * them. Otherwise every test class of the database has to have run, so
   * that a judgement is never skipped by accident.
   */
  public static void assumeThatAllTestsOfTheDatabaseRan() {
    String skipped = System.getProperty("tasker.units.skipped", "true");
    String chosen = System.getProperty("tasker.units.chosen", "");
    // Maven leaves a property that is not set as it is.
    assumeTrue(skipped.equals("false") && (chosen.isEmpty() || chosen.equals("${test}")),
        "all unit tests have run");
    assertThat(RunRecord.CLASSES.read()).as("test classes of the database that have run")
        .containsAll(testClasses());
  }

  private static List<String> testClasses() {
    return new ClassFileImporter().importPackages("ee.tasker").stream()
        .filter(type -> type.getSimpleName().endsWith("Test")
            && !type.getPackageName().startsWith("ee.tasker.benchmark"))
        .filter(type -> type.isAnnotatedWith(DatabaseTest.class)
            || type.isMetaAnnotatedWith(DatabaseTest.class))
        .filter(type -> type.getMethods().stream()
            .anyMatch(method -> method.isAnnotatedWith(Test.class)))
        .map(JavaClass::getName).toList();
  }
}
