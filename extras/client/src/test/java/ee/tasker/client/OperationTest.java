package ee.tasker.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class OperationTest {

  @Test
  void operations_are_those_of_the_openapi_document() throws IOException {
    Map<?, ?> document = (Map<?, ?>) new Load(LoadSettings.builder().build())
        .loadFromString(
            Files.readString(Path.of("../../src/main/resources/META-INF/tasker/openapi.yaml")));
    List<String> documented = new ArrayList<>();
    ((Map<?, ?>) document.get("paths"))
        .forEach((path, methods) -> ((Map<?, ?>) methods).forEach((method, operation) -> {
          if (operation instanceof Map<?, ?> described) {
            boolean keyed = String.valueOf(described.get("parameters"))
                .contains("#/components/parameters/idempotencyKey");
            documented.add(described.get("operationId") + " "
                + method.toString().toUpperCase(java.util.Locale.ROOT) + " " + path
                + (keyed ? " keyed" : ""));
          }
        }));

    assertThat(Arrays.stream(Operation.values())
        .map(operation -> operation.id() + " " + operation.method() + " " + operation.path()
            + (operation.acceptsIdempotencyKey() ? " keyed" : "")))
        .containsExactlyInAnyOrderElementsOf(documented).hasSizeGreaterThan(50);
  }
}
