package ee.tasker.sql;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import ee.tasker.testing.DatabaseTest;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where a function has its test: in the class of its name, or in the one that says so by {@link
 * DatabaseTest.Covers}.
 */
final class CoveredFunctions {
  private CoveredFunctions() {
  }

  /** @return the functions by test class */
  static Map<String, Set<String>> byClass(Collection<String> functions) {
    Map<String, Set<String>> covered = new TreeMap<>();
    for (JavaClass test : new ClassFileImporter().importPackages("ee.tasker.sql",
        "ee.tasker.schedule", "ee.tasker.webhook", "ee.tasker.protection")) {
      Set<String> its = new TreeSet<>();
      String named = test.getSimpleName().replaceAll("Test$", "").replaceAll("(?<=.)([A-Z])", "_$1")
          .toLowerCase(Locale.ROOT);
      if (functions.contains(named)) {
        its.add(named);
      }
      test.tryGetAnnotationOfType(DatabaseTest.Covers.class)
          .ifPresent(covers -> its.addAll(Arrays.asList(covers.value())));
      if (!its.isEmpty()) {
        covered.put(test.getName(), its);
      }
    }
    return covered;
  }
}
