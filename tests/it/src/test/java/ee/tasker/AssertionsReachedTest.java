package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Property;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A test that asserts nothing is green whatever the code does: each one reaches an assertion, in
 * its own code, in a lambda or in a helper.
 */
class AssertionsReachedTest {
  private static final Set<Class<?>> TEST_ANNOTATIONS = Set.of(Test.class, ParameterizedTest.class,
      RepeatedTest.class, TestFactory.class, Property.class);
  /** Methods of AssertJ that lead to another assertion or describe one. */
  private static final Set<String> ASSERT_NOTHING = Set.of("as", "describedAs", "withFailMessage",
      "overridingErrorMessage", "extracting",
      "filteredOn", "map", "flatMap", "asString", "asInstanceOf", "asList", "first", "last",
      "element", "rootCause", "cause", "isNotNull");
  /** Entry points of AssertJ that assert by themselves. */
  private static final Set<String> ASSERT_AT_ONCE = Set.of("assertThatThrownBy", "fail",
      "failBecauseExceptionWasNotThrown");

  private static final JavaClasses CLASSES = imported();

  /** Without what these classes use: names are enough, and all of AssertJ would be read. */
  private static JavaClasses imported() {
    ArchConfiguration configuration = ArchConfiguration.get();
    boolean resolves = configuration.resolveMissingDependenciesFromClassPath();
    configuration.setResolveMissingDependenciesFromClassPath(false);
    try {
      return new ClassFileImporter().importPaths(
          Stream.of("target", "samples/target", "tests/it/target")
              .map(target -> Path.of(target, "test-classes")).toList());
    } finally {
      configuration.setResolveMissingDependenciesFromClassPath(resolves);
    }
  }

  @Test
  void every_test_reaches_an_assertion() {
    List<String> silent = tests().filter(test -> !returnsVerdict(test) && !reachesAssertion(test))
        .map(JavaMethod::getFullName).sorted()
        .toList();

    assertThat(silent).isEmpty();
  }

  @Test
  void a_test_without_an_assertion_is_found() {
    List<String> silent = CLASSES.get(Silent.class).getMethods().stream()
        .filter(method -> !reachesAssertion(method)).map(JavaMethod::getName).toList();

    assertThat(tests().count()).isGreaterThan(1_000);
    assertThat(silent).containsExactlyInAnyOrder("calls_only", "describes_only");
  }

  private Stream<JavaMethod> tests() {
    return CLASSES.stream().filter(type -> !type.isEquivalentTo(Silent.class))
        .flatMap(type -> type.getMethods().stream())
        .filter(method -> TEST_ANNOTATIONS.stream()
            .anyMatch(annotation -> method.isAnnotatedWith(annotation.getName())));
  }

  /** A property may return its verdict. */
  private static boolean returnsVerdict(JavaMethod test) {
    return test.isAnnotatedWith(Property.class.getName())
        && test.getRawReturnType().isEquivalentTo(boolean.class);
  }

  private static boolean reachesAssertion(JavaMethod test) {
    Set<JavaCodeUnit> seen = new HashSet<>(Set.of(test));
    Deque<JavaCodeUnit> next = new ArrayDeque<>(seen);
    while (!next.isEmpty()) {
      JavaCodeUnit unit = next.poll();
      for (JavaAccess<?> access : Stream
          .concat(unit.getCallsFromSelf().stream(), unit.getCodeUnitReferencesFromSelf().stream())
          .toList()) {
        if (isAssertion(access)) {
          return true;
        }
        access.getTarget().resolveMember().filter(JavaCodeUnit.class::isInstance)
            .map(JavaCodeUnit.class::cast)
            .filter(called -> called.getOwner().getPackageName().startsWith("ee.tasker"))
            .filter(seen::add).ifPresent(next::add);
      }
    }
    return false;
  }

  private static boolean isAssertion(JavaAccess<?> access) {
    String owner = access.getTarget().getOwner().getName();
    String name = access.getTarget().getName();
    if (owner.startsWith("org.assertj.core.api.")) {
      return ASSERT_AT_ONCE.contains(name)
          || access.getTarget().getOwner().getSimpleName().endsWith("Assert")
              && !ASSERT_NOTHING.contains(name);
    }
    return owner.equals("org.junit.jupiter.api.Assertions")
        || owner.equals("java.lang.AssertionError")
        || owner.startsWith("com.tngtech.archunit") && name.equals("check");
  }

  @SuppressWarnings("unused")
  static class Silent {
    private void calls_only() {
      List.of(1).forEach(String::valueOf);
    }

    private void describes_only() {
      assertThat(List.of(1)).as("one").first();
    }

    private void asserts_in_a_helper_by_a_lambda() {
      List.of(1).forEach(Silent::isOne);
    }

    private static void isOne(int number) {
      assertThat(number).isOne();
    }
  }
}
