package ee.tasker;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import ee.tasker.handler.StepHandler;
import ee.tasker.platform.Problem;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSignals;
import ee.tasker.task.TaskSubmissions;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The API jar, as its build file (extras/api/pom.xml) puts it together: enough to compile against,
 * and no more than that.
 */
class ApiJarTest {

  private static JavaClasses jar() throws IOException {
    String pom = Files.readString(Path.of("extras", "api", "pom.xml"));
    List<PathMatcher> patterns = Pattern.compile("<include>(.*?)(\\.java)?</include>")
        .matcher(pom.substring(0, pom.indexOf("</includes>")))
        .results()
        .map(found -> FileSystems.getDefault().getPathMatcher(
            "glob:" + found.group(1) + (found.group(2) == null ? "" : "{,$*}.class")))
        .toList();
    Path classes = Path.of("target", "classes");
    try (Stream<Path> all = Files.walk(classes)) {
      return new ClassFileImporter()
          .importPaths(all.filter(file -> file.toString().endsWith(".class"))
              .filter(file -> patterns.stream()
                  .anyMatch(pattern -> pattern.matches(classes.relativize(file))))
              .toList());
    }
  }

  @Test
  void it_has_what_an_application_uses() throws IOException {
    assertThat(jar().stream().map(JavaClass::getName)).contains(StepHandler.class.getName(),
        TaskSubmissions.class.getName(), TaskSignals.class.getName(), TaskRequest.class.getName(),
        SubmittedTask.class.getName(), Problem.class.getName(), Problem.Violation.class.getName());
  }

  @Test
  void nothing_in_it_needs_what_is_not_in_it() throws IOException {
    JavaClasses jar = jar();
    assertThat(jar.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
        .filter(target -> resideInAnyPackage("ee.tasker..").test(target)
            && !jar.contain(target.getName()))
        .map(JavaClass::getName).distinct()).isEmpty();
  }

  @Test
  void it_leads_to_no_engine() throws IOException {
    assertThat(jar().stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .map(dependency -> dependency.getTargetClass().getPackageName())
        .filter(name -> !name.isEmpty() && !name.startsWith("java.")
            && !name.startsWith("jakarta.json") && !name.startsWith("ee.tasker."))
        .distinct()).isEmpty();
    assertThat(jar().stream().map(JavaClass::getSimpleName)).doesNotContain(
        "TransactionalSubmissions", "TransactionalSignals",
        "SubmissionBatcher", "TaskGateway",
        "SqlFunctions");
  }
}
