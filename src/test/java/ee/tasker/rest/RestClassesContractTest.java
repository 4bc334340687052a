package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import ee.tasker.rest.http.OncePerKey;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.ext.Provider;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@link RestApplication} names its classes, so that it serves no others; this test checks that
 * none is missing.
 */
class RestClassesContractTest {

  @Test
  void every_resource_and_provider_is_named_by_the_application() {
    var found = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("ee.tasker").stream()
        .filter(type -> type.isAnnotatedWith(Path.class) || type.isAnnotatedWith(Provider.class))
        .map(JavaClass::getName).toList();

    assertThat(new RestApplication().getClasses()).extracting(Class::getName)
        .as("add what is missing to RestApplication.getClasses()")
        .containsExactlyInAnyOrderElementsOf(found);
  }

  /** {@link ParameterFilter} looks at the type; a text would not be checked. */
  @Test
  void a_uuid_in_a_path_is_one_in_its_method() {
    assertThat(new RestApplication().getClasses().stream()
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .flatMap(method -> Stream.of(method.getParameters()))
        .filter(parameter -> parameter.isAnnotationPresent(PathParam.class)
            && parameter.getAnnotation(PathParam.class).value().endsWith("_uuid")))
        .hasSizeGreaterThan(50).allSatisfy(
            parameter -> assertThat(parameter.getType()).isEqualTo(UUID.class));
  }

  /**
   * Weld reads the binding of an interceptor through a proxy in another package: with a type that
   * it may not see, the application is not deployed on any server.
   */
  @Test
  void the_binding_of_an_interceptor_names_only_public_types() {
    assertThat(OncePerKey.class.getDeclaredMethods()).isNotEmpty().allSatisfy(member -> {
      for (Class<?> type = member.getReturnType(); type != null; type = type.getEnclosingClass()) {
        assertThat(java.lang.reflect.Modifier.isPublic(type.getModifiers()))
            .as("%s of %s is public", type, member.getName()).isTrue();
      }
    });
  }
}
