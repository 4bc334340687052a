package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Every named case has a test whose name begins with it. */
class CasesTest {
  private static final Pattern CASE = Pattern.compile("^([A-Z]\\d+)_");

  private static final JavaClasses TESTS = new ClassFileImporter()
      .importPackages("ee.tasker.protection");

  private static Set<String> tested(boolean crashWindows) {
    return TESTS.stream()
        .filter(test -> test.getSimpleName().startsWith("CrashWindows") == crashWindows)
        .map(JavaClass::getMethods).flatMap(Set::stream)
        .filter(
            method -> method.isAnnotatedWith(Test.class) && !method.isAnnotatedWith(Disabled.class))
        .map(method -> CASE.matcher(method.getName())).filter(Matcher::find)
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> cases(String letter, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> letter + number);
  }

  @Test
  void every_case_of_ownership_cancellation_recovery_delay_and_failure_has_a_test() {
    Set<String> missing = Stream
        .of(cases("C", 6), cases("H", 7), cases("W", 8), cases("D", 5), cases("F", 6),
            cases("E", 3), cases("O", 9))
        .flatMap(cases -> cases).collect(Collectors.toCollection(TreeSet::new));
    missing.removeAll(tested(false));
    assertThat(missing).as("cases without a test").isEmpty();
  }

  @Test
  void every_crash_window_has_a_test() {
    Set<String> missing = cases("C", 12).collect(Collectors.toCollection(TreeSet::new));
    missing.removeAll(tested(true));
    assertThat(missing).as("crash windows without a test").isEmpty();
  }
}
